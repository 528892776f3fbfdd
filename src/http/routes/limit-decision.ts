import type { Context, Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import { isExempt, type LimitedRequest } from '../../limits/request.ts';
import { isKnown, peerOf, readCaller } from '../caller.ts';
import { answer } from '../envelope.ts';
import { refuse, setLimitHeaders } from '../limit-headers.ts';
import type { LimitingDeps } from '../limit-requests.ts';
import { readSubject } from '../read-subject.ts';

export const decisionAddress = '/api/v1/limits/decision';

/**
 * A gateway asks here whether a request may pass. nginx (`auth_request`) and Traefik (ForwardAuth) tell of it in headers; Envoy (ext_authz)
 * sends its method and its path after the address.
 */
export function limitDecision(deps: LimitingDeps): Middleware {
  const { limits } = deps;
  return async function decide(ctx) {
    const asked = readAsked(ctx, deps);
    const request: LimitedRequest = {
      ...asked,
      isOwn: false,
      isAuthenticated: isKnown(ctx, deps, { isAsked: true }),
      ...readCaller(ctx, deps),
    };
    if (!isExempt(request.method)) {
      request.subject = await readSubject(ctx, asked.path);
      request.counted = [];
    }
    const flood = await limits.volumetric(request);
    if (flood) refuse(ctx, flood);
    const decision = await limits.project(request);
    if (decision?.isAllowed === false) refuse(ctx, decision);
    const { lease, refused } = await limits.inflight(request);
    if (refused) refuse(ctx, refused);
    if (decision) setLimitHeaders(ctx, decision);
    if (lease !== undefined) {
      ctx.set('X-Rollcall-Lease', lease);
      giveBackUnheard(ctx, () => void limits.release(lease));
    }
    answer(ctx, { allowed: true, lease: lease ?? null });
  };
}

/** A gateway that hung up does not know its lease. */
function giveBackUnheard(ctx: Context, giveBack: () => void): void {
  if (ctx.res.destroyed) giveBack();
  else
    ctx.res.once('close', () => {
      if (!ctx.res.writableFinished) giveBack();
    });
}

function readAsked(ctx: Context, { isTrustedProxy }: LimitingDeps): { method: string; path: string } {
  const said = (...names: string[]) => (isTrustedProxy(peerOf(ctx)) ? names.map((name) => ctx.get(name)).filter(Boolean) : []);
  const inHeaders = said('x-forwarded-uri', 'x-original-uri');
  const after = ctx.originalUrl.slice(decisionAddress.length);
  const named = after.startsWith('/') && (after !== '/' || inHeaders.length === 0) ? after : undefined;
  const path = agreeing('path', [...(named === undefined ? [] : [named]), ...inHeaders]);
  const method = agreeing('method', named === undefined ? said('x-forwarded-method', 'x-original-method') : [ctx.method]);
  if (path === undefined || method === undefined)
    throw new AppError(
      'invalid_request',
      `Which request is meant? Its method and path are wanted, as ${decisionAddress}/<path>, or from a trusted proxy as X-Forwarded-Method and X-Forwarded-Uri.`,
    );
  return { method: method.toUpperCase(), path };
}

/** A header that the gateway does not set may come from its caller: then the two differ, and nobody knows which one to believe. */
function agreeing(what: string, said: string[]): string | undefined {
  if (new Set(said).size > 1)
    throw new AppError(
      'invalid_request',
      `The ${what} is told in two ways that differ: the gateway has to drop the headers that it does not set.`,
    );
  return said[0];
}
