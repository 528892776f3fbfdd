import Router from '@koa/router';
import type { Metrics } from '../../metrics.ts';

export function metricsRoutes(metrics: Pick<Metrics, 'text' | 'contentType'>): Router {
  const router = new Router();
  router.get('/metrics', async (ctx) => {
    ctx.body = await metrics.text();
    ctx.type = metrics.contentType;
  });
  return router;
}
