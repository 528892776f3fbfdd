import type { Context, Middleware, Next } from 'koa';
import type { Limits } from '../../../limits/limits.ts';
import { isExempt } from '../../../limits/request.ts';
import type { Counted } from '../../../limits/windows.ts';
import { isKnown, readCaller, type CallerDeps } from './caller.ts';
import { readCredentials } from '../credentials.ts';
import { rejectOverLimit, setLimitHeaders } from './limit-headers.ts';

export interface LimitingDeps extends CallerDeps {
  limits: Limits;
}

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
    return next();
  }
}

/** Runs after authentication, where there is one, so that a stranger cannot use up a project's limits. */
export function limitProject(deps: LimitingDeps, { isOpen = false } = {}): Middleware {
  const { limits, known } = deps;
  return async function checkProject(ctx, next) {
    const counted = ctx.state['counted'] as Counted[] | undefined;
    const request = { ...readRequest(ctx, deps), isAuthenticated: !isOpen, isStranger: isOpen, ...(counted && { counted }) };
    const credentials = readCredentials(ctx);
    if (!isOpen && credentials !== undefined && !isExempt(ctx.method)) known.remember(credentials);
    const decision = await limits.project(request);
    if (decision?.isAllowed === false) rejectOverLimit(ctx, decision);
    if (decision) setLimitHeaders(ctx, decision);
    if (isExempt(ctx.method)) return next();
    const { lease, rejected } = await limits.inflight(request);
    if (rejected) rejectOverLimit(ctx, rejected);
    if (lease === undefined) return next();
    try {
      await next();
    } finally {
      // Before the response is sent, so that its receiver can continue immediately. The lease is kept while the work runs, even if the client has left.
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
