import { z } from 'zod';
import { count, field, id, timeOrNull } from './field.ts';

const changes = z.strictObject({ created: count, updated: count, deleted: count });
const counts = z
  .strictObject({ users: changes, groups: changes, members: z.strictObject({ added: count, removed: count }) })
  .meta({ id: 'SyncCounts', description: 'How often each kind of change is made.' });

const codes = [
  'needs_authorization',
  'needs_confirmation',
  'provider_unavailable',
  'provider_refused',
  'provider_answer',
  'wrong_workspace',
  'quota_exceeded',
  'deactivated',
  'replaced',
  'canceled',
  'internal',
] as const;

export const syncRunAnswer = z
  .strictObject({
    id: id('Its id.'),
    directory_id: id('The directory.'),
    state: field(z.enum(['queued', 'running', 'succeeded', 'failed', 'needs_confirmation', 'canceled']), 'How it stands.', 'succeeded'),
    phase: field(z.enum(['users', 'groups', 'members', 'comparing', 'applying']).nullable(), 'What it is doing, while it runs.', 'users'),
    trigger: field(z.enum(['schedule', 'cron', 'request', 'authorization']), 'What began it.', 'schedule'),
    confirms: field(z.string().nullable(), 'The run whose removals it confirms.'),
    pages: field(count, 'How many pages were read.', 3),
    seen: z.strictObject({ users: count, groups: count, members: count }).meta({ description: 'What was read.' }),
    planned: counts.nullable().meta({ description: 'What is to be changed; null as long as nothing was compared.' }),
    changed: counts,
    refused: field(count, 'Changes that could not be made.', 0),
    refusals: z
      .array(z.strictObject({ external_id: z.string(), reason: z.string() }))
      .meta({ description: 'Why the first of them could not be made.' }),
    notice: field(z.string().nullable(), 'What it waits for.'),
    error: z
      .strictObject({ code: z.enum(codes), message: z.string() })
      .nullable()
      .meta({ description: 'Why it did not succeed.' }),
    requested_at: timeOrNull('When it was asked for.'),
    started_at: timeOrNull('When it began.'),
    finished_at: timeOrNull('When it ended.'),
    duration_ms: field(z.number().nullable(), 'How long it took, or has taken so far.', 5200),
  })
  .meta({ id: 'SyncRun', description: 'One reading of a hosted directory.' });
export type SyncRunAnswer = z.output<typeof syncRunAnswer>;

export const startedSyncs = z
  .strictObject({
    message: z.literal('Sync started'),
    directories: z.array(
      z.strictObject({
        directory_id: id('The directory.'),
        run_id: id('Its run.'),
        status: field(z.enum(['started', 'running']), 'Whether the run was begun now, or goes on already.', 'started'),
      }),
    ),
  })
  .meta({ id: 'StartedSyncs', description: 'Which directories are read now.' });
