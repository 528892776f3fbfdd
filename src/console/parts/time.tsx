import { useEffect, useState } from 'preact/hooks';

/** Each with its seconds, and those of the next smaller one: what would be 60 minutes is 1 hour. */
const units = [
  ['day', 86_400, 3_600],
  ['hour', 3_600, 60],
  ['minute', 60, 1],
  ['second', 1, 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

function describe(at: number): string {
  const seconds = Math.round((at - Date.now()) / 1_000);
  if (Math.abs(seconds) > 30 * 86_400) return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });
  if (seconds === 0) return 'now';
  const found = units.find(([, length, smaller]) => Math.round(Math.abs(seconds) / smaller) * smaller >= length);
  const [unit, length] = found ?? units[3];
  return relative.format(Math.round(seconds / length), unit);
}

/** How long ago, in the viewer's zone. The exact time is shown on hover, and read from `datetime`. */
export function Time({ at, none = 'Never' }: { at: string | null | undefined; none?: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((former) => former + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span class="soft">{none}</span>;
  const date = new Date(at);
  const exact = `${date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })} (${at})`;
  return (
    <time dateTime={at} title={exact}>
      {describe(date.getTime())}
    </time>
  );
}
