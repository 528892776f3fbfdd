const longestMs = 366 * 24 * 3_600_000;

/** RFC 9110, section 5.6.7: one form to write, and two that must still be read. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** RFC 9110, section 10.2.3: whole seconds, or a date. What is neither, or is over, says nothing. */
export function readRetryAfter(value: string | string[] | undefined, nowMs: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : readHttpDate(text) - nowMs;
  return waitMs >= 0 ? Math.min(waitMs, longestMs) : undefined;
}

/** `Date.parse` alone makes a date of almost anything, “-5” among it. */
function readHttpDate(text: string): number {
  if (httpDates.some((form) => form.test(text))) return Date.parse(text);
  return asctime.test(text) ? Date.parse(`${text} GMT`) : NaN;
}
