import Router from '@koa/router';
import type { DirectoryReader } from '../../directory/directory-reader.ts';
import { pageQuery, readRequest, readSelector } from '../../directory/directory-requests.ts';
import { signalOf } from '../caller-left.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';

export interface DirectoryUserRoutesDeps {
  directoryReader: DirectoryReader;
}

export function directoryUserRoutes({ directoryReader }: DirectoryUserRoutesDeps): Router {
  const router = new Router();
  router.get(directorySyncPaths('/users'), async (ctx) => {
    answer(ctx, await directoryReader.listUsers(readSelector(ctx.query), readRequest(pageQuery, ctx.query), signalOf(ctx)));
  });
  router.get(directorySyncPaths('/users/:userId'), async (ctx) => {
    answer(ctx, await directoryReader.getUser(readSelector(ctx.query), ctx.params['userId']!));
  });
  return router;
}
