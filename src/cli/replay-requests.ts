import type { ReplayRequest } from '../client/index.ts';
import type { ParsedCommand } from './context.ts';
import { UsageError } from './errors.ts';

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

/** The ways to select events. Exactly one must be used. */
const selections = {
  events: 'event IDs',
  sequences: '--from and --to',
  times: '--since and --until',
  delivery: '--delivery',
  failed: '--failed',
  missing: '--missing',
} as const;

/** Several event IDs become several replays, which the service runs one after the other. */
export function toReplayRequests(
  { args: [, ...events], options, exampleFor }: ParsedCommand<ReplayOptions>,
  now: () => number = Date.now,
): ReplayRequest[] {
  const { from, to, since, until, delivery, failed, missing } = options;
  const hasTimes = since !== undefined || until !== undefined;
  const isGiven: Record<keyof typeof selections, boolean> = {
    events: events.length > 0,
    sequences: from !== undefined || to !== undefined,
    times: hasTimes && !failed && !missing,
    delivery: delivery !== undefined,
    failed: failed === true,
    missing: missing === true,
  };
  const given = (Object.keys(selections) as (keyof typeof selections)[]).filter((one) => isGiven[one]);
  const reject: (message: string, flag?: string) => never = (message, flag) => {
    throw new UsageError(`${message} Example: ${exampleFor(flag)}`);
  };
  const [selection] = given;
  if (selection === undefined)
    reject(`Specify the events to resend: ${Object.values(selections).slice(0, -1).join(', ')} or ${selections.missing}.`);
  if (given.length > 1)
    reject(`Cannot combine ${selections[selection]} with ${selections[given[1]!]}.`, selections[selection].split(' ')[0]);
  const dryRun = options.dryRun ? { dry_run: true } : {};
  switch (selection) {
    case 'sequences':
      if (from === undefined || to === undefined) reject(from === undefined ? '--to requires --from.' : '--from requires --to.', '--from');
      if (to < from) reject('--to must not be less than --from.', '--from');
      return [{ mode: 'range', from_sequence: from, to_sequence: to, ...dryRun }];
    case 'times':
      if (since === undefined) reject('--until requires --since.', '--since');
      return [{ mode: 'range', from: since, to: until ?? new Date(now()).toISOString(), ...dryRun }];
    case 'delivery':
      return [{ mode: 'single', delivery_id: delivery, ...dryRun }];
    case 'failed':
    case 'missing':
      return [{ mode: selection, ...(since !== undefined && { since }), ...(until !== undefined && { until }), ...dryRun }];
    case 'events':
      return events.map((id) => ({ mode: 'single', event_id: id, ...dryRun }));
  }
}
