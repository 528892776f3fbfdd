import Router from '@koa/router';
import type { DirectoryReader } from '../../directory/directory-reader.ts';
import { pageQuery, readRequest, readSelector } from '../../directory/directory-requests.ts';
import { signalOf } from '../caller-left.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';

export interface DirectoryGroupRoutesDeps {
  directoryReader: DirectoryReader;
}

export function directoryGroupRoutes({ directoryReader }: DirectoryGroupRoutesDeps): Router {
  const router = new Router();
  router.get(directorySyncPaths('/groups'), async (ctx) => {
    answer(ctx, await directoryReader.listGroups(readSelector(ctx.query), readRequest(pageQuery, ctx.query), signalOf(ctx)));
  });
  router.get(directorySyncPaths('/groups/:groupId'), async (ctx) => {
    answer(ctx, await directoryReader.getGroup(readSelector(ctx.query), ctx.params['groupId']!, signalOf(ctx)));
  });
  router.get(directorySyncPaths('/groups/:groupId/members'), async (ctx) => {
    const members = await directoryReader.listMembers(
      readSelector(ctx.query),
      ctx.params['groupId']!,
      readRequest(pageQuery, ctx.query),
      signalOf(ctx),
    );
    // The specification's only answer without an `error`.
    ctx.body = { data: members };
  });
  router.get(directorySyncPaths('/groups/:groupId/nested-groups'), async (ctx) => {
    const { groupId } = ctx.params;
    answer(
      ctx,
      await directoryReader.listNestedGroups(readSelector(ctx.query), groupId!, readRequest(pageQuery, ctx.query), signalOf(ctx)),
    );
  });
  return router;
}
