import { z } from 'zod';
import { isObject } from '../../../scim/json.ts';
import { findFields, rejectUnknownFields } from '../../../shared/unknown-fields.ts';
import { defineOperation } from '../define-operation.ts';
import { pageQuery, toPage } from '../page.ts';
import { directoryParams, parseRequest, runParams } from '../parse-request.ts';
import { type SyncRunBody, startedSyncsSchema, syncRunSchema } from './schemas.ts';
import type { SyncRun } from '../../../directory/sync/run.ts';
import { exampleId, toTime } from '../field.ts';

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

export const syncOperations = [
  defineOperation({
    ...common,
    id: 'syncs.start',
    method: 'post',
    path: `${directory}/sync`,
    params: directoryParams,
    title: 'Start a sync run',
    description:
      'Syncs a pulled directory now. `confirm` names a run whose removals wait for confirmation; it may be sent as a query parameter too.',
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
    method: 'get',
    path: all,
    params: directoryParams,
    title: 'List sync runs',
    description: 'Lists the sync runs of a pulled directory, newest first.',
    query: pageQuery,
    responses: { 200: { description: 'The runs.', data: z.array(syncRunSchema) } },
    handler: async ({ input: { params, query }, deps }) => (await deps.syncs.list(params.directoryId, toPage(query))).map(presentSyncRun),
  }),
  defineOperation({
    ...common,
    id: 'syncs.get',
    method: 'get',
    path: one,
    params: runParams,
    title: 'Get a sync run',
    description: 'Returns a sync run with its progress.',
    responses: { 200: { description: 'The run.', data: syncRunSchema } },
    errors: { 400: 'The directory is not of type `google`.' },
    handler: async ({ input: { params }, deps }) => presentSyncRun(await deps.syncs.get(params.directoryId, params.runId)),
  }),
  defineOperation({
    ...common,
    id: 'syncs.cancel',
    method: 'post',
    path: `${one}/cancel`,
    params: runParams,
    title: 'Cancel a sync run',
    description: 'Ends a sync run. Changes that it has made are kept.',
    responses: { 202: { description: 'The run.', data: syncRunSchema } },
    errors: { 400: 'The run has already ended, or the directory is not of type `google`.' },
    handler: async ({ input: { params }, deps }) => presentSyncRun(await deps.syncs.cancel(params.directoryId, params.runId)),
  }),
  defineOperation({
    ...common,
    id: 'syncs.startAll',
    method: 'post',
    path: '/api/v1/directory-sync/cron/sync-google',
    title: 'Start all sync runs',
    description: 'Syncs every pulled directory now.',
    responses: { 200: { description: 'The directories that are being synced.', data: startedSyncsSchema } },
    handler: async ({ deps }) => ({
      message: 'Sync started' as const,
      directories: (await deps.syncs.startAll()).map(({ directoryId, runId, isNew }) => ({
        directory_id: directoryId,
        run_id: runId,
        status: isNew ? ('started' as const) : ('running' as const),
      })),
    }),
  }),
];

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
  failures: run.failures.map(({ externalId, reason }) => ({ external_id: externalId, reason })),
  notice: run.notice ?? null,
  error: run.error ?? null,
  requested_at: toTime(run.requestedAt),
  started_at: toTime(run.startedAt),
  finished_at: toTime(run.finishedAt),
  duration_ms: run.startedAt ? (run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime() : null,
});
