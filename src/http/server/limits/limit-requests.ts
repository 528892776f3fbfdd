import type { Context, Middleware, Next } from 'koa';
import type { Limits } from '../../../limits/limits.ts';
import { type Decision, isExempt } from '../../../limits/request.ts';
import type { Counted, WindowState } from '../../../limits/windows.ts';
import type { RejectEarly } from '../authenticate-api-key.ts';
import { type CallerDeps, findCredentials, isKnown, readCaller } from './caller.ts';
import { AppError } from '../../../errors.ts';

export interface LimitingDeps extends CallerDeps {
  limits: Limits;
}

/**
 * Runs before the other limits, which do not count what this one rejects: a source of which very many failed authentications were rejected.
 * It is for unknown credentials, and for the requests that the others count: changes, and everything on pages without authentication.
 */
export const limitGuesses =
  (deps: LimitingDeps, rejectEarly: RejectEarly, at: Parameters<RejectEarly>[1]): Middleware =>
  (ctx, next) => {
    if (isExempt(ctx.method) && at !== 'consent' && at !== 'setup') return next();
    const error = isKnown(ctx, deps) ? undefined : rejectEarly(ctx, at);
    if (error) throw error;
    return next();
  };

/** Runs before authentication, so that a flood costs no database query. */
export function limitVolume(deps: LimitingDeps): Middleware {
  return function checkVolume(ctx, next) {
    return isExempt(ctx.method) ? next() : checkFlood(ctx, next);
  };

  async function checkFlood(ctx: Context, next: Next) {
    const counted: Counted[] = [];
    ctx.state['counted'] = counted;
    const rejected = await deps.limits.volumetric({ ...readRequest(ctx, deps), isAuthenticated: isKnown(ctx, deps), counted });
    if (rejected) rejectOverLimit(ctx, rejected);
    await unlessRateLimited(next, () => deps.limits.forget({ counted }));
  }
}

/** Undoes what was counted for a request that a later limit rejects: of failed authentications, or of its directory. */
async function unlessRateLimited(next: Next, forget: () => Promise<void>): Promise<void> {
  try {
    await next();
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') await forget();
    throw error;
  }
}

/** Runs after authentication, where there is one, so that a stranger cannot use up a project's limits. */
export function limitProject(deps: LimitingDeps, { isOpen = false } = {}): Middleware {
  const { limits, known } = deps;
  return async function checkProject(ctx, next) {
    const counted = (ctx.state['counted'] as Counted[] | undefined) ?? [];
    const request = { ...readRequest(ctx, deps), isAuthenticated: !isOpen, isStranger: isOpen, counted };
    const credentials = findCredentials(ctx);
    if (!isOpen && credentials !== undefined) known.remember(credentials);
    const decision = await limits.project(request);
    if (decision?.isAllowed === false) rejectOverLimit(ctx, decision);
    if (decision) setLimitHeaders(ctx, decision);
    const handle = () => unlessRateLimited(next, () => limits.forget(request));
    if (isExempt(ctx.method)) return handle();
    const { lease, rejected } = await limits.inflight(request);
    if (rejected) rejectOverLimit(ctx, rejected);
    if (lease === undefined) return handle();
    try {
      await handle();
    } finally {
      // Before the response is sent, so that its receiver can continue immediately. The lease is
      // kept while the work runs, even if the client has left.
      await limits.release(lease);
    }
  };
}

const readRequest = (ctx: Context, deps: LimitingDeps) => ({
  method: ctx.method,
  path: ctx.originalUrl,
  isOwn: true,
  ...readCaller(ctx, deps),
});

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
  windows.map(({ quota, seconds: long }) => `${quota} per ${long === 1 ? 'second' : 'minute'}`).join(' and ');

const reasons: Record<Decision['layer'], (decision: Decision) => string> = {
  project: (decision) =>
    `Too many requests in the bucket ${decision.bucket} of this project: it allows ${describeQuotas(decision)} (LIMITS_PLAN, LIMITS_PROJECTS_FILE).`,
  volumetric: (decision) =>
    `Too many requests from one source: the rule ${decision.bucket} allows ${describeQuotas(decision)} (LIMITS_RULES_FILE).`,
  inflight: ({ bucket }) =>
    `Another request for the same resource is in progress: the rule ${bucket} allows one at a time (LIMITS_RULES_FILE).`,
};
