/** Seconds or a date (RFC 9110, section 10.2.3), in ms from now. */
export function readRetryAfter(header: string | null, now: () => number = Date.now): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) - now() : undefined;
  return Number.isSafeInteger(ms) ? Math.max(0, ms!) : undefined;
}
