import Router from '@koa/router';
import { readStatsRequest } from '../../directory/stats-request.ts';
import type { Directories } from '../../directory/directories.ts';
import { answer } from '../envelope.ts';
import { readJson } from '../read-json.ts';

export interface StatsRoutesDeps {
  directories: Directories;
  maxBodyBytes: number;
}

/** The ancestor counts other things, too, of which there are none here. */
const present = (count: number) => ({ sso_connections: 0, dsync_connections: count, identity_federation_apps: 0 });

export function statsRoutes({ directories, maxBodyBytes }: StatsRoutesDeps): Router {
  const router = new Router();
  router.get('/api/v1/stats', async (ctx) => {
    answer(ctx, present(await directories.count()));
  });
  router.post('/api/v1/stats/product', async (ctx) => {
    const { products, type } = readStatsRequest(await readJson(ctx, maxBodyBytes));
    answer(ctx, present(type === undefined || type === 'dsync' ? await directories.count(products) : 0));
  });
  return router;
}
