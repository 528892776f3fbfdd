const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const token = /(\d+(?:\.\d+)?)([smhd])/g;
const tokens = /^(?:\d+(?:\.\d+)?[smhd]\s*)+$/;

/**
 * How long something is kept, in milliseconds: `720h`, `30d`, `1d12h`; Infinity for an empty text, which keeps it for ever. Undefined for
 * what cannot be read, and for no time at all: the ancestor would warn and keep it for a week.
 */
export function parseDuration(text: string): number | undefined {
  const written = text.trim().toLowerCase();
  if (written === '') return Infinity;
  if (!tokens.test(written)) return undefined;
  let sumMs = 0;
  for (const [, count, unit] of written.matchAll(token)) sumMs += Number(count) * unitMs[unit as keyof typeof unitMs];
  return sumMs > 0 && Number.isSafeInteger(Math.round(sumMs)) ? sumMs : undefined;
}
