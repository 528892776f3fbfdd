import { z } from 'zod';
import { syncErrorCodes } from '../../../directory/sync/run.ts';
import { count, field, id, timeOrNull } from '../field.ts';

const changes = z.strictObject({ created: count, updated: count, deleted: count });
const counts = z
  .strictObject({ users: changes, groups: changes, members: z.strictObject({ added: count, removed: count }) })
  .meta({ id: 'SyncCounts', description: 'The number of changes of each kind.' });

export const syncRunSchema = z
  .strictObject({
    id: id("The sync run's ID."),
    directory_id: id("The directory's ID."),
    state: field(
      z.enum(['queued', 'running', 'succeeded', 'failed', 'needs_confirmation', 'canceled']),
      'The state of the run.',
      'succeeded',
    ),
    phase: field(z.enum(['users', 'groups', 'members', 'comparing', 'applying']).nullable(), 'The current step, while it runs.', 'users'),
    trigger: field(z.enum(['schedule', 'cron', 'request', 'authorization']), 'What started the run.', 'schedule'),
    confirms: field(z.string().nullable(), 'The run whose removals it confirms.', null),
    pages: field(count, 'The number of pages read from the provider.', 3),
    seen: z
      .strictObject({ users: count, groups: count, members: count })
      .meta({ description: 'The number of users, groups and members read from the provider.' }),
    planned: counts.nullable().meta({ description: 'The changes to make; null before the comparison.' }),
    changed: counts,
    failed: field(count, 'The number of changes that failed.', 0),
    failures: z
      .array(z.strictObject({ external_id: z.string(), reason: z.string() }))
      .meta({ description: 'The first failed changes, with the reason.' }),
    notice: field(z.string().nullable(), 'What the run waits for.', null),
    error: z
      .strictObject({ code: z.enum(syncErrorCodes), message: z.string() })
      .nullable()
      .meta({ description: 'Why the run did not succeed.' }),
    requested_at: timeOrNull('When it was requested.'),
    started_at: timeOrNull('When it started.'),
    finished_at: timeOrNull('When it ended.'),
    duration_ms: field(z.number().nullable(), 'The duration so far, in milliseconds.', 5200),
  })
  .meta({ id: 'SyncRun', description: 'A sync run: one pass over a pulled directory.' });
export type SyncRunBody = z.output<typeof syncRunSchema>;

export const startedSyncsSchema = z
  .strictObject({
    message: z.literal('Sync started'),
    directories: z.array(
      z.strictObject({
        directory_id: id("The directory's ID."),
        run_id: id("The sync run's ID."),
        status: field(z.enum(['started', 'running']), 'Whether the run was started now or was already running.', 'started'),
      }),
    ),
  })
  .meta({ id: 'StartedSyncs', description: 'The directories that are being synced.' });
