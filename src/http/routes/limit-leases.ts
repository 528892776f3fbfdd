import Router from '@koa/router';
import { AppError } from '../../errors.ts';
import type { Limits } from '../../limits/limits.ts';
import { answer } from '../envelope.ts';

export const leasesAddress = '/api/v1/limits/inflight';

/** A gateway gives back what a decision let it take. */
export function limitLeaseRoutes({ limits }: { limits: Pick<Limits, 'release'> }): Router {
  const router = new Router();
  const release = async (lease: string) => {
    const released = await limits.release(lease);
    if (released === undefined) throw new AppError('unavailable', 'The store of the limits does not answer; try again.');
    if (!released) throw new AppError('not_found', 'There is no such lease; it was released, or its time is over.');
  };
  router.delete(`${leasesAddress}/:lease`, async (ctx) => {
    await release(ctx.params['lease']!);
    answer(ctx, {});
  });
  router.post(`${leasesAddress}/:lease/release`, async (ctx) => {
    await release(ctx.params['lease']!);
    answer(ctx, {});
  });
  return router;
}
