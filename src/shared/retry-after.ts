/** RFC 9110, section 5.6.7: the date form to send, and the two obsolete ones that a recipient must still accept. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
];
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Milliseconds until the time in a Retry-After header (RFC 9110, section 10.2.3); negative
 * for a date in the past, undefined if it is invalid.
 */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : readHttpDate(text) - nowMs;
  return Number.isNaN(waitMs) ? undefined : waitMs;
}

/** `Date.parse` accepts almost anything, for example “-5”. */
function readHttpDate(text: string): number {
  if (httpDates.some((form) => form.test(text))) return Date.parse(text);
  return asctime.test(text) ? Date.parse(`${text} GMT`) : NaN;
}
