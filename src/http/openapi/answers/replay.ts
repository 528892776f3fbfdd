import { z } from 'zod';
import { replayModes } from '../../../directory/delivery/replay-request.ts';
import { count, field, id, sequence, timeOrNull } from './field.ts';

const mode = field(z.enum(replayModes), 'Which events were chosen.', 'range');
const total = field(count, 'How many events are to be sent.', 20);
const done = field(count, 'How many were taken.', 12);

export const replayAnswer = z
  .strictObject({
    id: id('Its id.'),
    directory_id: id('The directory.'),
    mode,
    ranges: field(z.array(z.tuple([sequence, sequence])), 'The sequences that it sends, first and last of each range.', [[1, 20]]),
    status: field(z.enum(['running', 'done', 'canceled', 'failed']), 'How it stands.', 'running'),
    reason: field(z.string().nullable(), 'Why it failed.'),
    total,
    done,
    created_at: timeOrNull('When it was asked for.'),
    finished_at: timeOrNull('When it ended.'),
  })
  .meta({ id: 'Replay', description: 'Events that are sent again.' });
export type ReplayAnswer = z.output<typeof replayAnswer>;

/** Within the state of a delivery. */
export const runningReplay = z.strictObject({ id: id('The replay.'), mode, total, done });

export const replayDryRun = z
  .strictObject({ dry_run: z.literal(true), total: field(count, 'How many events would be sent.', 20) })
  .meta({ id: 'ReplayDryRun', description: 'What a replay would send.' });
