import { z } from 'zod';
import type { RecomputeState } from '../../directory/attributes/ports.ts';
import { count, exampleId, field, timeOf, timeOrNull, toTime } from './schema-fields.ts';

export const repeats = z
  .boolean('must be true or false')
  .optional()
  .meta({
    description: 'Whether all users are computed again even if nothing changes, for example after an upgrade; default: false.',
    examples: [false],
  });

export const recomputeSchema = z
  .strictObject({
    id: field(z.string(), "The recomputation's ID.", exampleId),
    state: field(z.enum(['running', 'done']), 'Whether it has ended.', 'done'),
    done: field(count, 'The users that were computed.', 120),
    total: field(count, 'The users of the directory. A change of groups computes only some of them.', 120),
    requested_at: timeOf('When the schema, the mapping, the role table or a group changed.'),
    finished_at: timeOrNull('When it ended.'),
  })
  .nullable()
  .meta({ description: 'The last recomputation of users. Null before the first one.' });

export const presentRecompute = (recompute: RecomputeState | undefined, users: number): z.output<typeof recomputeSchema> =>
  recompute
    ? {
        id: recompute.id,
        state: recompute.finishedAt ? 'done' : 'running',
        done: recompute.done,
        total: Math.max(recompute.done, users),
        requested_at: recompute.requestedAt.toISOString(),
        finished_at: toTime(recompute.finishedAt),
      }
    : null;
