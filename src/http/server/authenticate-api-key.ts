import type { Context, Middleware } from 'koa';
import { AppError } from '../../errors.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import type { Refusals } from '../../audit/refusals.ts';
import { type Caller, createRootCaller } from '../../access/caller.ts';
import { isSameSecret, readCredentials } from './credentials.ts';
import { peerOf, readClientAddress } from './limits/caller.ts';
import type { Exceeded, FailedAuthentication, FailedAuthentications } from '../../limits/failed-authentications.ts';

export interface ApiKeyDeps {
  apiKeys: string[];
  countFailedAuthentication: CountFailedAuthentication;
}

export function authenticateApiKey({ apiKeys, countFailedAuthentication }: ApiKeyDeps, at: 'api' | 'gateway' | 'metrics'): Middleware {
  const rootKeys = apiKeys.map((key, index) => ({ key, caller: createRootCaller(key, index + 1) }));
  return function checkApiKey(ctx, next) {
    const given = readCredentials(ctx) ?? '';
    let caller: Caller | undefined;
    // All keys are compared, so that the time does not say which one matched.
    for (const root of rootKeys) if (isSameSecret(given, root.key)) caller = root.caller;
    if (caller === undefined) {
      ctx.set('WWW-Authenticate', 'Api-Key');
      const error = new AppError('unauthorized', 'Missing or invalid API key. Send `Authorization: Api-Key <key>`.');
      throw countFailedAuthentication(ctx, { at }, error);
    }
    (ctx.state as { caller?: Caller }).caller = caller;
    return next();
  };
}

/** A trusted proxy needs no key: the `Authorization` that it passes on is its caller's. */
export function authenticateGateway(deps: ApiKeyDeps, isTrustedProxy: NetworkMatcher): Middleware {
  const byKey = authenticateApiKey(deps, 'gateway');
  return (ctx, next) => (isTrustedProxy(peerOf(ctx)) ? next() : byKey(ctx, next));
}

interface FailedAuthenticationDeps {
  refusals: Pick<Refusals, 'note'>;
  failures: Pick<FailedAuthentications, 'note' | 'rejectEarly'>;
  isTrustedProxy: NetworkMatcher;
}

/** Counts and logs a failed authentication. Returns the error to throw: the given one, or 429 when there were too many. */
export type CountFailedAuthentication = (
  ctx: Context,
  failure: Pick<FailedAuthentication, 'at' | 'directoryId'>,
  error: AppError,
) => AppError;

/** Returns an error if the client has failed so often that its credentials need not be compared. */
export type RejectEarly = (ctx: Context, at: FailedAuthentication['at']) => AppError | undefined;

export function createFailedAuthenticationErrors({ failures, refusals, isTrustedProxy }: FailedAuthenticationDeps): {
  countFailedAuthentication: CountFailedAuthentication;
  rejectEarly: RejectEarly;
} {
  return {
    countFailedAuthentication(ctx, failure, error) {
      const { exceeded, isLogged } = failures.note({ ...failure, ...callerOf(ctx) });
      refusals.note({ at: failure.at, ...callerOf(ctx), userAgent: ctx.get('user-agent') || undefined });
      return exceeded ? toError(ctx, `The credentials are invalid, and there ${describe(exceeded)}`, { exceeded, isLogged }) : error;
    },
    rejectEarly(ctx, at) {
      const rejected = failures.rejectEarly({ at, ...callerOf(ctx) });
      if (rejected) refusals.note({ at, ...callerOf(ctx), userAgent: ctx.get('user-agent') || undefined });
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
