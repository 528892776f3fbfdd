/** A time as the options take it, without its thousandths. */
export const shortTime = (iso: string | null | undefined): string => iso?.replace(/\.\d+Z$/, 'Z') ?? '';

const steps: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** With how long ago that is, for a person. */
export function timeAndAge(iso: string | null | undefined, nowMs: number = Date.now()): string {
  if (!iso) return 'never';
  const ageMs = nowMs - Date.parse(iso);
  const [ms, name] = steps.find(([step]) => Math.abs(ageMs) >= step) ?? [];
  if (ms === undefined) return `${shortTime(iso)} (${ageMs < 0 ? 'soon' : 'just now'})`;
  const count = Math.floor(Math.abs(ageMs) / ms);
  const words = `${count} ${name}${count === 1 ? '' : 's'}`;
  return `${shortTime(iso)} (${ageMs < 0 ? `in ${words}` : `${words} ago`})`;
}
