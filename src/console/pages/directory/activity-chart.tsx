import type { HourOfActivity } from '../../../client/generated/types.ts';
import { api, useRead } from '../../api.ts';
import { Card } from '../../parts/page.tsx';
import { Failed, Loading, Outdated } from '../../parts/states.tsx';
import { countOf } from '../../parts/words.ts';

const everyMs = 60_000;
const barWidth = 10;
const barGap = 2;
const height = 48;

interface Series {
  name: string;
  one: string;
  valueOf: (hour: HourOfActivity) => number;
  /** A part of the value, which is drawn over it. */
  partOf?: (hour: HourOfActivity) => number;
  tone: 'usual' | 'bad';
}

const pushes: Series = {
  name: 'Pushes',
  one: 'push',
  valueOf: (hour) => hour.pushes,
  partOf: (hour) => hour.rejected_pushes,
  tone: 'usual',
};
const others: Series[] = [
  { name: 'Events', one: 'event', valueOf: (hour) => hour.events, tone: 'usual' },
  { name: 'Failed attempts', one: 'failed attempt', valueOf: (hour) => hour.failed_attempts, tone: 'bad' },
];

/** Pushes, events and failures of the last 24 hours. */
export function ActivityChart({ directoryId, isPulled }: { directoryId: string; isPulled: boolean }) {
  const { value, error, reload } = useRead((options) => api.directories.activity(directoryId, options), [directoryId], { everyMs });
  const series = isPulled ? others : [pushes, ...others];
  const hours = value?.data.hours;
  return (
    <Card title="Last 24 hours">
      {hours && <Outdated error={error} />}
      {!hours && (error ? <Failed error={error} retry={reload} /> : <Loading />)}
      {hours && (
        <>
          <div class="charts">
            {series.map((one) => (
              <Bars key={one.name} series={one} hours={hours} />
            ))}
          </div>
          <details>
            <summary>As a table</summary>
            <Counts series={series} hours={hours} />
          </details>
        </>
      )}
    </Card>
  );
}

const totalOf = (hours: HourOfActivity[], valueOf: Series['valueOf']) => hours.reduce((sum, hour) => sum + valueOf(hour), 0);
const plural = (one: string) => (one.endsWith('sh') ? `${one}es` : `${one}s`);

const describe = ({ one, valueOf, partOf }: Series, hours: HourOfActivity[]): string => {
  const rejected = partOf ? totalOf(hours, partOf) : 0;
  return `${countOf(totalOf(hours, valueOf), one, plural(one))}${rejected > 0 ? `, ${rejected.toLocaleString()} rejected` : ''}`;
};

function Bars({ series, hours }: { series: Series; hours: HourOfActivity[] }) {
  const most = Math.max(1, ...hours.map(series.valueOf));
  const width = hours.length * (barWidth + barGap) - barGap;
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * height));
  return (
    <figure class={`chart ${series.tone}`}>
      <figcaption>
        <strong>{series.name}</strong> <span class="soft">{describe(series, hours)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${series.name} by hour: ${describe(series, hours)}`}
      >
        <line class="base" x1="0" x2={width} y1={height} y2={height} />
        {hours.map((hour, place) => {
          const parts = [
            { kind: 'bar', size: heightOf(series.valueOf(hour)) },
            { kind: 'part', size: heightOf(series.partOf?.(hour) ?? 0) },
          ];
          return (
            <g key={hour.starts_at}>
              <title>{`${shortHour(hour)}: ${describe(series, [hour])}`}</title>
              <rect class="area" x={place * (barWidth + barGap)} y="0" width={barWidth} height={height} />
              {parts.map(({ kind, size }) => (
                <rect key={kind} class={kind} x={place * (barWidth + barGap)} y={height - size} width={barWidth} height={size} />
              ))}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

const shortHour = ({ starts_at: at }: HourOfActivity): string =>
  new Date(at).toLocaleString(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

const Counts = ({ series, hours }: { series: Series[]; hours: HourOfActivity[] }) => (
  <table class="table" aria-label="Last 24 hours">
    <thead>
      <tr>
        <th scope="col">Hour from</th>
        {series.map(({ name }) => (
          <th key={name} scope="col" class="number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {hours.toReversed().map((hour) => (
        <tr key={hour.starts_at}>
          <td data-label="Hour from">{shortHour(hour)}</td>
          {series.map((one) => (
            <td key={one.name} class="number" data-label={one.name}>
              {describe(one, [hour])}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
