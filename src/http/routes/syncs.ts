import Router from '@koa/router';
import { pageQuery, readRequest } from '../../directory/directory-requests.ts';
import type { Syncs } from '../../directory/sync/operate-syncs.ts';
import { readSyncRequest } from '../../directory/sync/sync-requests.ts';
import { isObject } from '../../scim/json.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { readOptionalJson } from '../read-optional-json.ts';
import { presentSyncRun } from '../sync-presenters.ts';

export interface SyncRoutesDeps {
  syncs: Syncs;
  maxBodyBytes: number;
}

/** What is asked for may stand in the query or in a body. */
const asObject = (value: unknown) => (isObject(value) ? value : {});

export function syncRoutes({ syncs, maxBodyBytes }: SyncRoutesDeps): Router {
  const router = new Router();
  router.post(directorySyncPaths('/cron/sync-google'), async (ctx) => {
    const directories = (await syncs.startAll()).map(({ directoryId, runId, isNew }) => ({
      directory_id: directoryId,
      run_id: runId,
      status: isNew ? 'started' : 'running',
    }));
    answer(ctx, { message: 'Sync started', directories });
  });
  router.post(directorySyncPaths('/:directoryId/sync'), async (ctx) => {
    const { confirm } = readSyncRequest({ ...asObject(await readOptionalJson(ctx, maxBodyBytes)), ...ctx.query });
    const { run, isNew } = await syncs.start(ctx.params['directoryId']!, { trigger: 'request', confirm });
    answer(ctx, presentSyncRun(run), isNew ? 202 : 200);
  });
  router.get(directorySyncPaths('/:directoryId/syncs'), async (ctx) => {
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await syncs.list(ctx.params['directoryId']!, page)).map(presentSyncRun));
  });
  router.get(directorySyncPaths('/:directoryId/syncs/:runId'), async (ctx) => {
    answer(ctx, presentSyncRun(await syncs.get(ctx.params['directoryId']!, ctx.params['runId']!)));
  });
  router.post(directorySyncPaths('/:directoryId/syncs/:runId/cancel'), async (ctx) => {
    answer(ctx, presentSyncRun(await syncs.cancel(ctx.params['directoryId']!, ctx.params['runId']!)), 202);
  });
  return router;
}
