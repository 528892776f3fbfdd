import { z } from 'zod';
import { isObject } from '../../../scim/json.ts';
import { findFields, rejectUnknownFields } from '../../../shared/unknown-fields.ts';
import { defineOperation, directoryParams, parseRequest, runParams } from '../define-operation.ts';
import { createListCursors, cursorPageQuery, pageBody, timedPosition } from '../cursor.ts';
import type { PulledType } from '../../../directory/directories/directory.ts';
import { type SyncRun, syncErrorCodes } from '../../../directory/sync/sync-run.ts';
import { count, exampleId, field, id, timeOrNull, toTime } from '../schema-fields.ts';

const changes = z.strictObject({ created: count, updated: count, deleted: count });
const counts = z
  .strictObject({ users: changes, groups: changes, members: z.strictObject({ added: count, removed: count }) })
  .meta({ id: 'SyncCounts', description: 'The number of changes of each kind.' });

const syncRunSchema = z
  .strictObject({
    id: id("The sync run's ID."),
    directory_id: id("The directory's ID."),
    state: field(
      z.enum(['queued', 'running', 'succeeded', 'failed', 'needs_confirmation', 'canceled']),
      'The state of the run.',
      'succeeded',
    ),
    phase: field(z.enum(['users', 'groups', 'members', 'comparing', 'applying']).nullable(), 'The current step, while it runs.', 'users'),
    trigger: field(z.enum(['schedule', 'cron', 'request', 'authorization', 'upload']), 'What started the run.', 'schedule'),
    confirms: field(z.string().nullable(), 'The run whose removals it confirms.', null),
    pages: field(count, 'The number of pages read from the provider.', 3),
    seen: z
      .strictObject({ users: count, groups: count, members: count })
      .meta({ description: 'The number of users, groups and members read from the provider.' }),
    planned: counts.nullable().meta({ description: 'The changes to make; null before the comparison.' }),
    changed: counts,
    failed: field(count, 'The number of changes that failed.', 0),
    drift: field(
      count.nullable(),
      'The differences that a comparison of everything found, although changes had been followed until then. Null for other runs.',
      null,
    ),
    failures: z
      .array(z.strictObject({ external_id: z.string(), reason: z.string() }))
      .meta({ description: 'The first failed changes, with the reason.' }),
    notice: field(z.string().nullable(), 'What the run is waiting for.', null),
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
type SyncRunBody = z.output<typeof syncRunSchema>;

const startedSyncsSchema = z
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

const syncRequest = z
  .object({
    confirm: z
      .string('must be given once')
      .trim()
      .min(1, 'must name the run that is confirmed')
      .max(100)
      .optional()
      .meta({ description: 'The run that waits for confirmation of its removals.', examples: [exampleId] }),
  })
  .meta({ id: 'SyncRequest', description: 'The run to confirm, if there is one.' });

const directory = '/api/v1/directory-sync/{directoryId}';
const all = `${directory}/syncs`;
const one = `${all}/{runId}`;
const common = { tag: 'Syncs', auth: 'apiKey' } as const;
const cursors = createListCursors('sync runs', timedPosition);

export const syncOperations = [
  defineOperation({
    ...common,
    id: 'syncs.start',
    scope: 'syncs:write',
    audit: ['sync.started', 'sync.confirmed'],
    method: 'post',
    path: `${directory}/sync`,
    params: directoryParams,
    title: 'Start a sync run',
    description:
      'Syncs a pulled directory now. `confirm` is the ID of a run whose removals wait for confirmation; you can also send it as a query parameter.',
    query: syncRequest,
    body: { schema: syncRequest, isOptional: true, read: readSyncRequest },
    responses: {
      200: { description: 'The run that is already in progress.', data: syncRunSchema },
      202: { description: 'The new run.', data: syncRunSchema },
    },
    handler: async ({ input: { params, query, body }, deps, ctx }) => {
      const confirm = query.confirm ?? body.confirm;
      const { run, isNew } = await deps.syncs.start(params.directoryId, { trigger: 'request', confirm });
      if (isNew) ctx.status = 202;
      return presentSyncRun(run);
    },
  }),
  defineOperation({
    ...common,
    id: 'syncs.list',
    scope: 'syncs:read',
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List sync runs',
    description: 'Lists the sync runs of a pulled directory, newest first.',
    query: cursorPageQuery,
    responses: { 200: { description: 'The runs.', body: pageBody(syncRunSchema, 'SyncRunPage', 'sync runs') } },
    handler: async ({ input: { params, query }, deps }) => {
      const scope = params.directoryId;
      return cursors.toBody(await deps.syncs.list(params.directoryId, cursors.readPage(query, scope)), scope, presentSyncRun);
    },
  }),
  defineOperation({
    ...common,
    id: 'syncs.get',
    scope: 'syncs:read',
    method: 'get',
    path: one,
    params: runParams,
    title: 'Get a sync run',
    description: 'Returns a sync run with its progress.',
    responses: { 200: { description: 'The run.', data: syncRunSchema } },
    errors: { 400: 'The directory is not a pulled directory.' },
    handler: async ({ input: { params }, deps }) => presentSyncRun(await deps.syncs.get(params.directoryId, params.runId)),
  }),
  defineOperation({
    ...common,
    id: 'syncs.cancel',
    scope: 'syncs:write',
    audit: ['sync.canceled'],
    method: 'post',
    path: `${one}/cancel`,
    params: runParams,
    title: 'Cancel a sync run',
    description:
      'Cancels a sync run. Changes that it has made are kept. If the run needs a confirmation, its removals are refused: nothing is changed, and its files, if it has read any, are discarded.',
    responses: { 202: { description: 'The run.', data: syncRunSchema } },
    errors: {
      400: 'The run has already ended, a later run confirms it, asks again or has succeeded, or the directory is not a pulled directory.',
    },
    handler: async ({ input: { params }, deps }) => presentSyncRun(await deps.syncs.cancel(params.directoryId, params.runId)),
  }),
  startAllOperation('google', 'syncs.startAll', 'Start all sync runs'),
  startAllOperation('entra', 'syncs.startAllEntra', 'Start all sync runs of Entra ID'),
];

function startAllOperation(type: PulledType, name: string, title: string) {
  return defineOperation({
    ...common,
    id: name,
    scope: 'syncs:write',
    reach: 'deployment',
    audit: ['sync.started'],
    method: 'post',
    aliasMethods: ['get'],
    path: `/api/v1/directory-sync/cron/sync-${type}`,
    title,
    description: `Syncs every directory of type \`${type}\` now.`,
    responses: { 200: { description: 'The directories that are being synced.', data: startedSyncsSchema } },
    handler: async ({ deps }) => ({
      message: 'Sync started' as const,
      directories: (await deps.syncs.startAll(type)).map(({ directoryId, runId, isNew }) => ({
        directory_id: directoryId,
        run_id: runId,
        status: isNew ? ('started' as const) : ('running' as const),
      })),
    }),
  });
}

/** The request may also be in the query, so the body may be anything. */
function readSyncRequest(value: unknown): z.output<typeof syncRequest> {
  if (!isObject(value)) return {};
  rejectUnknownFields(value, findFields(syncRequest));
  return parseRequest(syncRequest, value);
}

const presentSyncRun = (run: SyncRun): SyncRunBody => ({
  id: run.id,
  directory_id: run.directoryId,
  state: run.state,
  phase: run.state === 'running' ? run.phase : null,
  trigger: run.trigger,
  confirms: run.confirms ?? null,
  pages: run.pages,
  seen: run.seen,
  planned: run.planned ?? null,
  changed: run.changed,
  failed: run.failed,
  drift: run.drift ?? null,
  failures: run.failures.map(({ externalId, reason }) => ({ external_id: externalId, reason })),
  notice: run.notice ?? null,
  error: run.error ?? null,
  requested_at: toTime(run.requestedAt),
  started_at: toTime(run.startedAt),
  finished_at: toTime(run.finishedAt),
  duration_ms: run.startedAt ? (run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime() : null,
});
