import Router from '@koa/router';
import { readResumeRequest, readRotateRequest } from '../../directory/delivery/control-requests.ts';
import type { DeliveryControl } from '../../directory/delivery/operate-delivery.ts';
import { findWebhookSecretWarnings } from '../../directory/webhook-secret-warnings.ts';
import { presentDeliveryState, presentSentTest } from '../delivery-presenters.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { readOptionalJson } from '../read-optional-json.ts';

export interface DeliveryControlRoutesDeps {
  deliveryControl: DeliveryControl;
  maxBodyBytes: number;
}

/** How the delivery of a directory stands, and what its operator may do with it. */
export function deliveryControlRoutes({ deliveryControl, maxBodyBytes }: DeliveryControlRoutesDeps): Router {
  const router = new Router();
  router.get(directorySyncPaths('/:directoryId/delivery'), async (ctx) => {
    answer(ctx, presentDeliveryState(await deliveryControl.state(ctx.params['directoryId']!)));
  });
  router.post(directorySyncPaths('/:directoryId/pause'), async (ctx) => {
    const { state, settled } = await deliveryControl.pause(ctx.params['directoryId']!);
    answer(ctx, { ...presentDeliveryState(state), settled });
  });
  router.post(directorySyncPaths('/:directoryId/resume'), async (ctx) => {
    const { from } = readResumeRequest(await readOptionalJson(ctx, maxBodyBytes));
    answer(ctx, presentDeliveryState(await deliveryControl.resume(ctx.params['directoryId']!, from)));
  });
  router.post(directorySyncPaths('/:directoryId/webhook/test'), async (ctx) => {
    const left = new AbortController();
    ctx.res.once('close', () => left.abort());
    answer(ctx, presentSentTest(await deliveryControl.test(ctx.params['directoryId']!, left.signal)));
  });
  router.post(directorySyncPaths('/:directoryId/webhook/secret/rotate'), async (ctx) => {
    const { secret, overlap_seconds: overlap } = readRotateRequest(await readOptionalJson(ctx, maxBodyBytes));
    const rotated = await deliveryControl.rotateSecret(ctx.params['directoryId']!, { secret, overlapMs: overlap * 1_000 });
    const warnings = findWebhookSecretWarnings('secret', secret);
    answer(ctx, {
      secret: rotated.secret,
      previous_valid_until: rotated.previousValidUntil?.toISOString() ?? null,
      ...(warnings.length > 0 && { warnings }),
    });
  });
  return router;
}
