import Router from '@koa/router';
import type { Directories } from '../../directory/directories.ts';
import { pageQuery, readRequest } from '../../directory/directory-requests.ts';
import type { RecordedRequestStore } from '../../directory/ports.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { signalOf } from '../caller-left.ts';
import { answer } from '../envelope.ts';
import { presentRecordedRequest } from '../presenters.ts';

export interface RecordedRequestRoutesDeps {
  directories: Directories;
  recordedRequests: Pick<RecordedRequestStore, 'list'>;
}

/** What the provider really sent. */
export function recordedRequestRoutes({ directories, recordedRequests }: RecordedRequestRoutesDeps): Router {
  const router = new Router();
  router.get(
    ['/requests', '/scim-requests'].flatMap((name) => directorySyncPaths(`/:directoryId${name}`)),
    async (ctx) => {
      const page = readRequest(pageQuery, ctx.query);
      const { id } = await directories.get(ctx.params['directoryId']!);
      answer(ctx, (await recordedRequests.list(id, page, signalOf(ctx))).map(presentRecordedRequest));
    },
  );
  return router;
}
