import type { ReplayRequest } from '../../client/index.ts';
import type { Typed } from '../add-command.ts';
import { UsageError } from '../failures.ts';

export interface ReplayOptions {
  from?: number;
  to?: number;
  since?: string;
  until?: string;
  delivery?: string;
  failed?: boolean;
  missing?: boolean;
  dryRun?: boolean;
}

/** One way to say which events are meant; others beside it are refused. */
const ways = {
  events: 'event ids',
  sequences: '--from and --to',
  times: '--since and --until',
  delivery: '--delivery',
  failed: '--failed',
  missing: '--missing',
} as const;

/** What is asked of the API: several events are several replays, which the service makes one after the other. */
export function toReplayRequests(
  { args: [, ...events], options, exampleFor }: Typed<ReplayOptions>,
  now: () => number = Date.now,
): ReplayRequest[] {
  const { from, to, since, until, delivery, failed, missing } = options;
  const hasTimes = since !== undefined || until !== undefined;
  const isGiven: Record<keyof typeof ways, boolean> = {
    events: events.length > 0,
    sequences: from !== undefined || to !== undefined,
    times: hasTimes && !failed && !missing,
    delivery: delivery !== undefined,
    failed: failed === true,
    missing: missing === true,
  };
  const given = (Object.keys(ways) as (keyof typeof ways)[]).filter((way) => isGiven[way]);
  const refuse: (sentence: string, flag?: string) => never = (sentence, flag) => {
    throw new UsageError(`${sentence} Example: ${exampleFor(flag)}`);
  };
  const [way] = given;
  if (way === undefined) refuse(`Which events are meant is not said: give one of ${Object.values(ways).join('; ')}.`);
  if (given.length > 1) refuse(`${ways[way]} and ${ways[given[1]!]} exclude each other: give one of them.`, ways[way].split(' ')[0]);
  const dryRun = options.dryRun ? { dry_run: true } : {};
  switch (way) {
    case 'sequences':
      if (from === undefined || to === undefined)
        refuse(`--from and --to belong together: ${from === undefined ? '--from' : '--to'} is missing.`, '--from');
      if (to < from) refuse('--to must not be less than --from.', '--from');
      return [{ mode: 'range', from_sequence: from, to_sequence: to, ...dryRun }];
    case 'times':
      if (since === undefined) refuse('--until wants --since beside it.', '--since');
      return [{ mode: 'range', from: since, to: until ?? new Date(now()).toISOString(), ...dryRun }];
    case 'delivery':
      return [{ mode: 'single', delivery_id: delivery, ...dryRun }];
    case 'failed':
    case 'missing':
      return [{ mode: way, ...(since !== undefined && { since }), ...(until !== undefined && { until }), ...dryRun }];
    case 'events':
      return events.map((id) => ({ mode: 'single', event_id: id, ...dryRun }));
  }
}
