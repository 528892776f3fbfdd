import Router from '@koa/router';
import { answer } from '../envelope.ts';

/** What is missing for this process to do its work; empty when nothing is. */
export type FindMissing = () => Promise<string[]>;

export function healthRoutes(findMissing: FindMissing): Router {
  const router = new Router();
  router.get('/health/live', (ctx) => answer(ctx, { status: 'live' }));
  router.get('/health/ready', async (ctx) => {
    const missing = await findMissing();
    if (missing.length === 0) return answer(ctx, { status: 'ready' });
    ctx.status = 503;
    ctx.body = { data: null, error: { code: 'unavailable', message: missing.join(' '), missing } };
  });
  return router;
}
