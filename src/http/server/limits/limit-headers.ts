import type { Context } from 'koa';
import { AppError } from '../../../errors.ts';
import type { WindowState } from '../../../limits/windows.ts';
import type { Decision } from '../../../limits/request.ts';

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers-10, and the older ones for the window with the least left. */
export function setLimitHeaders(ctx: Context, { layer, windows, waitMs }: Decision): void {
  if (layer === 'inflight') {
    ctx.set('RateLimit-Policy', '"inflight";q=1;qu="concurrent-requests"');
    ctx.set('RateLimit', '"inflight";r=0');
    return setLegacyHeaders(ctx, { quota: 1, remaining: 0, resetMs: waitMs });
  }
  ctx.set('RateLimit-Policy', windows.map(({ name, quota, seconds: long }) => `"${name}";q=${quota};w=${long}`).join(', '));
  ctx.set('RateLimit', windows.map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${seconds(resetMs)}`).join(', '));
  setLegacyHeaders(ctx, windows.reduce(scarcer));
}

function setLegacyHeaders(ctx: Context, { quota, remaining, resetMs }: Pick<WindowState, 'quota' | 'remaining' | 'resetMs'>) {
  ctx.set('X-RateLimit-Limit', String(quota));
  ctx.set('X-RateLimit-Remaining', String(remaining));
  ctx.set('X-RateLimit-Reset', String(seconds(resetMs)));
}

const share = ({ remaining, quota }: WindowState) => remaining / quota;
const scarcer = (one: WindowState, other: WindowState) => (share(other) <= share(one) ? other : one);

/** Fails with 429 and the headers that say why. */
export function rejectOverLimit(ctx: Context, decision: Decision): never {
  const { layer, bucket, waitMs } = decision;
  setLimitHeaders(ctx, decision);
  ctx.set('Retry-After', String(seconds(waitMs)));
  throw new AppError('rate_limited', `${reasons[layer](decision)} Try again in ${seconds(waitMs)} s.`, { limit: { layer, bucket } });
}

const describeQuotas = ({ windows }: Decision) =>
  windows.map(({ quota, seconds: long }) => `${quota} in ${long === 1 ? 'a second' : 'a minute'}`).join(' and ');

const reasons: Record<Decision['layer'], (decision: Decision) => string> = {
  project: (decision) => `Too many requests in the bucket ${decision.bucket} of this project: it allows ${describeQuotas(decision)}.`,
  volumetric: (decision) => `Too many requests from one source: the rule ${decision.bucket} allows ${describeQuotas(decision)}.`,
  inflight: ({ bucket }) => `Another request for the same resource is in progress: the rule ${bucket} allows one at a time.`,
};
