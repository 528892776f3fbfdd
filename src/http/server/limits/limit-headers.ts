import type { Context } from 'koa';
import { AppError } from '../../../errors.ts';
import type { Decision } from '../../../limits/decision.ts';
import type { WindowState } from '../../../limits/windows.ts';

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));

/** What is left, in the words of draft-ietf-httpapi-ratelimit-headers-10, and in the older ones for the window with least in it. */
export function setLimitHeaders(ctx: Context, { layer, windows, waitMs }: Decision): void {
  if (layer === 'inflight') {
    ctx.set('RateLimit-Policy', '"inflight";q=1;qu="concurrent-requests"');
    ctx.set('RateLimit', '"inflight";r=0');
    return setOld(ctx, { quota: 1, remaining: 0, resetMs: waitMs });
  }
  ctx.set('RateLimit-Policy', windows.map(({ name, quota, seconds: long }) => `"${name}";q=${quota};w=${long}`).join(', '));
  ctx.set('RateLimit', windows.map(({ name, remaining, resetMs }) => `"${name}";r=${remaining};t=${seconds(resetMs)}`).join(', '));
  setOld(ctx, windows.reduce(scarcer));
}

function setOld(ctx: Context, { quota, remaining, resetMs }: Pick<WindowState, 'quota' | 'remaining' | 'resetMs'>) {
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

const tell = ({ windows }: Decision) =>
  windows.map(({ quota, seconds: long }) => `${quota} in ${long === 1 ? 'a second' : 'a minute'}`).join(' and ');

const reasons: Record<Decision['layer'], (decision: Decision) => string> = {
  project: (decision) => `Too many requests in the bucket ${decision.bucket} of this project, which takes ${tell(decision)}.`,
  volumetric: (decision) => `Too many requests from one source: the rule ${decision.bucket} allows ${tell(decision)}.`,
  inflight: ({ bucket }) => `Another request changes the same resource at this moment: the rule ${bucket} allows one at a time.`,
};
