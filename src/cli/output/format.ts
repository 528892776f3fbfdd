/** A time as the options accept it, without milliseconds. */
export const shortTime = (iso: string | null | undefined): string => iso?.replace(/\.\d+Z$/, 'Z') ?? '';

const units: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** For people: the time and how long ago it was. */
export function timeAndAge(iso: string | null | undefined, nowMs: number = Date.now()): string {
  if (!iso) return 'never';
  const ageMs = nowMs - Date.parse(iso);
  const [ms, name] = units.find(([unit]) => Math.abs(ageMs) >= unit) ?? [];
  if (ms === undefined) return `${shortTime(iso)} (${ageMs < 0 ? 'in less than a minute' : 'just now'})`;
  const age = pluralize(Math.floor(Math.abs(ageMs) / ms), name!);
  return `${shortTime(iso)} (${ageMs < 0 ? `in ${age}` : `${age} ago`})`;
}

/** `1 event`, `2 events`, `2 directories`. */
export const pluralize = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
