import { useEffect, useState } from 'preact/hooks';

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function describe(at: number): string {
  const seconds = Math.round((at - Date.now()) / 1_000);
  if (Math.abs(seconds) > 30 * 86_400) return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });
  const [unit, length] = units.find(([, one]) => Math.abs(seconds) >= one) ?? units[3];
  return relative.format(Math.trunc(seconds / length), unit);
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
