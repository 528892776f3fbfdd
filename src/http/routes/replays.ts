import Router from '@koa/router';
import { readReplayRequest } from '../../directory/delivery/replay-request.ts';
import type { Replays } from '../../directory/delivery/replays.ts';
import { pageQuery, readRequest } from '../../directory/directory-requests.ts';
import { presentReplay } from '../delivery-presenters.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { readJson } from '../read-json.ts';

export interface ReplayRoutesDeps {
  replays: Replays;
  maxBodyBytes: number;
}

export function replayRoutes({ replays, maxBodyBytes }: ReplayRoutesDeps): Router {
  const router = new Router();
  const all = directorySyncPaths('/:directoryId/replays');
  router.post(all, async (ctx) => {
    const request = readReplayRequest(await readJson(ctx, maxBodyBytes));
    const started = await replays.start(ctx.params['directoryId']!, request);
    if (started.dryRun) answer(ctx, { dry_run: true, total: started.total });
    else answer(ctx, presentReplay(started.replay), 202);
  });
  router.get(all, async (ctx) => {
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await replays.list(ctx.params['directoryId']!, page)).map(presentReplay));
  });
  router.get(directorySyncPaths('/:directoryId/replays/:replayId'), async (ctx) => {
    answer(ctx, presentReplay(await replays.get(ctx.params['replayId']!, ctx.params['directoryId'])));
  });
  router.get(directorySyncPaths('/replays/:replayId'), async (ctx) => {
    answer(ctx, presentReplay(await replays.get(ctx.params['replayId']!)));
  });
  router.post(directorySyncPaths('/:directoryId/replays/:replayId/cancel'), async (ctx) => {
    answer(ctx, presentReplay(await replays.cancel(ctx.params['directoryId']!, ctx.params['replayId']!)));
  });
  return router;
}
