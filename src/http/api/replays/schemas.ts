import { z } from 'zod';
import { replayModes } from '../../../directory/delivery/replays.ts';
import { count, field, id, sequence, timeOrNull } from '../field.ts';

const mode = field(z.enum(replayModes), 'How the events were selected.', 'range');
const total = field(count, 'The number of events to send.', 20);
const done = field(count, 'The number of acknowledged events.', 12);

export const replaySchema = z
  .strictObject({
    id: id("The replay's ID."),
    directory_id: id("The directory's ID."),
    mode,
    ranges: field(z.array(z.tuple([sequence, sequence])), 'The first and last sequence of each range of events.', [[1, 20]]),
    status: field(z.enum(['running', 'done', 'canceled', 'failed']), 'The status of the replay.', 'running'),
    reason: field(z.string().nullable(), 'Why it failed.', null),
    total,
    done,
    created_at: timeOrNull('When it was created.'),
    finished_at: timeOrNull('When it ended.'),
  })
  .meta({ id: 'Replay', description: 'Events that are sent again.' });
export type ReplayBody = z.output<typeof replaySchema>;

/** Part of the state of a delivery. */
export const runningReplaySchema = z.strictObject({ id: id("The replay's ID."), mode, total, done });

export const replayDryRunSchema = z
  .strictObject({ dry_run: z.literal(true), total: field(count, 'The number of events that would be sent.', 20) })
  .meta({ id: 'ReplayDryRun', description: 'The result of a dry run.' });
