export const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const token = /(\d+(?:\.\d+)?)([smhd])/g;
const tokens = /^(?:\d+(?:\.\d+)?[smhd]\s*)+$/;

/**
 * Parses a duration such as `720h`, `30d` or `1d12h` into milliseconds. Empty text is Infinity. Returns undefined for invalid text
 * and for zero, where Polis would log a warning and use a week.
 */
export function parseDuration(text: string): number | undefined {
  const written = text.trim().toLowerCase();
  if (written === '') return Infinity;
  if (!tokens.test(written)) return undefined;
  let sumMs = 0;
  for (const [, count, unit] of written.matchAll(token)) sumMs += Number(count) * unitMs[unit as keyof typeof unitMs];
  return sumMs > 0 && Number.isSafeInteger(Math.round(sumMs)) ? sumMs : undefined;
}
