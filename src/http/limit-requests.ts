import type { Middleware } from 'koa';
import type { Limits } from '../limits/limits.ts';
import { isExempt, type LimitedRequest } from '../limits/request.ts';
import { isKnown, readCaller, type CallerDeps } from './caller.ts';
import { readCredentials } from './credentials.ts';
import { refuse, setLimitHeaders } from './limit-headers.ts';

export interface LimitingDeps extends CallerDeps {
  limits: Limits;
}

interface LimitedState {
  limited?: LimitedRequest;
}

/** Stands before authentication: a flood is to cost no look at the database. */
export function limitVolume(deps: LimitingDeps): Middleware {
  return async function checkVolume(ctx, next) {
    const request: LimitedRequest = {
      method: ctx.method,
      path: ctx.originalUrl,
      isOwn: true,
      isAuthenticated: !isExempt(ctx.method) && isKnown(ctx, deps),
      ...readCaller(ctx, deps),
    };
    (ctx.state as LimitedState).limited = request;
    if (!isExempt(ctx.method)) {
      const refused = await deps.limits.volumetric(request);
      if (refused) refuse(ctx, refused);
    }
    return next();
  };
}

/** Stands after an authentication. */
export function rememberCaller({ known }: Pick<LimitingDeps, 'known'>): Middleware {
  return function remember(ctx, next) {
    const credentials = readCredentials(ctx);
    if (credentials !== undefined && !isExempt(ctx.method)) known.remember(credentials);
    return next();
  };
}

/** Where there is an authentication, it stands after it: a stranger can't use up what a project is entitled to. */
export function limitProject({ limits }: LimitingDeps, { isOpen = false } = {}): Middleware {
  return async function checkProject(ctx, next) {
    const request = { ...(ctx.state as LimitedState).limited!, isStranger: isOpen };
    const decision = await limits.project(request);
    if (decision?.isAllowed === false) refuse(ctx, decision);
    if (decision) setLimitHeaders(ctx, decision);
    if (isExempt(ctx.method)) return next();
    const { lease, refused } = await limits.inflight(request);
    if (refused) refuse(ctx, refused);
    if (lease === undefined) return next();
    try {
      await next();
    } finally {
      // Before the answer leaves: who gets it may go on at once. A client that has gone changes nothing while the work still runs.
      await limits.release(lease);
    }
  };
}
