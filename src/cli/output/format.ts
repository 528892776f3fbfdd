/** A time as the options accept it, without milliseconds. */
export const shortTime = (iso: string | null | undefined): string => iso?.replace(/\.\d+Z$/, 'Z') ?? '';

const units: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** The clocks of two machines differ by as much. */
const justNowMs = 5_000;

/** For people: the time and how long ago it was. */
export function timeAndAge(iso: string | null | undefined, nowMs: number = Date.now()): string {
  if (!iso) return 'never';
  const ageMs = nowMs - Date.parse(iso);
  const [ms, name] = units.find(([unit]) => Math.abs(ageMs) >= unit) ?? [];
  if (ms === undefined || Math.abs(ageMs) < justNowMs) return `${shortTime(iso)} (just now)`;
  const age = pluralize(Math.floor(Math.abs(ageMs) / ms), name!);
  return `${shortTime(iso)} (${ageMs < 0 ? `in ${age}` : `${age} ago`})`;
}

/** `#7` in a column that stays straight up to 9,999. */
export const formatSequence = (sequence: number): string => `#${sequence}`.padEnd(5);

/** `1 event`, `2 events`, `2 directories`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
