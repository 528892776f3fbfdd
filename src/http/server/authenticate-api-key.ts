import type { Context, Middleware, Next } from 'koa';
import { AppError } from '../../errors.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { Actor } from '../../audit/act.ts';
import type { Refusals } from '../../audit/refusals.ts';
import type { KeyAuthentication } from '../../access/authenticate-key.ts';
import { type Caller, trustedProxyCaller } from '../../access/caller.ts';
import { trustedForMs } from '../../access/recent-reads.ts';
import type { RootKeys } from '../../access/root-keys.ts';
import type { AuthenticatedState } from './authenticated-state.ts';
import { readCredentials } from './credentials.ts';
import { peerOf, readClientAddress } from './limits/caller.ts';
import type { Exceeded, FailedAuthentication, FailedAuthentications } from '../../limits/failed-authentications.ts';

export interface ApiKeyDeps {
  rootKeys: RootKeys;
  keyAuthentication: Pick<KeyAuthentication, 'authenticate'>;
  isTrustedProxy: NetworkMatcher;
  countFailedAuthentication: CountFailedAuthentication;
}

/** Sets `ctx.state.caller`. */
export function authenticateApiKey(deps: ApiKeyDeps, at: 'api' | 'gateway' | 'metrics'): Middleware {
  const { rootKeys, keyAuthentication, isTrustedProxy, countFailedAuthentication } = deps;
  return function checkApiKey(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    const root = rootKeys.find(given);
    if (root === undefined) return checkCreatedKey(ctx, given, next);
    setCaller(ctx, root);
    return next();
  };

  async function checkCreatedKey(ctx: Context, given: string, next: Next) {
    const startedMs = performance.now();
    setCaller(ctx, await authenticate(ctx, given));
    await next();
    // It may have been revoked while the request waited, for an event or for the database.
    if (/^(GET|HEAD)$/.test(ctx.method) && performance.now() - startedMs > trustedForMs) await authenticate(ctx, given);
  }

  async function authenticate(ctx: Context, given: string): Promise<Caller> {
    const found = await keyAuthentication.authenticate(given, readClientAddress(ctx, isTrustedProxy));
    if (!(found instanceof AppError)) return found;
    ctx.set('WWW-Authenticate', 'Api-Key');
    throw countFailedAuthentication(ctx, { at }, found);
  }
}

const setCaller = (ctx: Context, caller: Caller): void => {
  (ctx.state as AuthenticatedState).caller = caller;
};

/** For requests that need no key. */
export const callAs =
  (caller: Caller): Middleware =>
  (ctx, next) => {
    setCaller(ctx, caller);
    return next();
  };

/** A trusted proxy needs no key: the `Authorization` that it passes on is its caller's. */
export function authenticateGateway(deps: ApiKeyDeps): Middleware {
  const byKey = authenticateApiKey(deps, 'gateway');
  const asProxy = callAs(trustedProxyCaller);
  return (ctx, next) => (deps.isTrustedProxy(peerOf(ctx)) ? asProxy(ctx, next) : byKey(ctx, next));
}

interface FailedAuthenticationDeps {
  refusals: Pick<Refusals, 'note'>;
  failures: Pick<FailedAuthentications, 'note' | 'rejectEarly'>;
  isTrustedProxy: NetworkMatcher;
}

/** Counts and logs a failed authentication. Returns the error to throw: the given one, or 429 when there were too many. */
export type CountFailedAuthentication = (
  ctx: Context,
  failure: Pick<FailedAuthentication, 'at' | 'directoryId'> & { actor?: Actor | undefined },
  error: AppError,
) => AppError;

/** Returns an error if the client has failed so often that its credentials need not be compared. */
export type RejectEarly = (ctx: Context, at: FailedAuthentication['at']) => AppError | undefined;

export function createFailedAuthenticationErrors({ failures, refusals, isTrustedProxy }: FailedAuthenticationDeps): {
  countFailedAuthentication: CountFailedAuthentication;
  rejectEarly: RejectEarly;
} {
  return {
    countFailedAuthentication(ctx, { actor, ...failure }, error) {
      const { exceeded, isLogged } = failures.note({ ...failure, ...callerOf(ctx) });
      refusals.note({ at: failure.at, reason: error.code, actor, ...callerOf(ctx), userAgent: ctx.get('user-agent') || undefined });
      return exceeded ? toError(ctx, `The credentials are invalid, and there ${describe(exceeded)}`, { exceeded, isLogged }) : error;
    },
    rejectEarly(ctx, at) {
      const rejected = failures.rejectEarly({ at, ...callerOf(ctx) });
      if (rejected) refusals.note({ at, reason: 'rate_limited', ...callerOf(ctx), userAgent: ctx.get('user-agent') || undefined });
      return rejected && toError(ctx, `There ${describe(rejected.exceeded)}`, rejected);
    },
  };

  function callerOf(ctx: Context) {
    return { address: readClientAddress(ctx, isTrustedProxy), requestId: ctx.state['requestId'] as string };
  }
}

function toError(ctx: Context, reason: string, { exceeded, isLogged }: { exceeded: Exceeded; isLogged: boolean }): AppError {
  // A summary is logged instead.
  ctx.state['isSummarized'] = !isLogged;
  const seconds = Math.max(1, Math.ceil(exceeded.waitMs / 1_000));
  ctx.set('Retry-After', String(seconds));
  return new AppError('rate_limited', `${reason} Try again in ${seconds} s.`);
}

const describe = ({ limit, setting, perMinute }: Exceeded) =>
  `were too many failed authentications ${limit === 'source' ? 'from this address' : 'for this directory'}: ${setting} allows ${perMinute} a minute.`;
