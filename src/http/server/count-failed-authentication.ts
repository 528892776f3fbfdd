import type { Context } from 'koa';
import { AppError } from '../../errors.ts';
import type { Exceeded, FailedAuthentication, FailedAuthentications } from '../../limits/failed-authentications.ts';
import type { NetworkMatcher } from '../../limits/networks.ts';
import { readClientAddress } from './limits/caller.ts';

export interface CountFailedAuthenticationDeps {
  failures: FailedAuthentications;
  isTrustedProxy: NetworkMatcher;
}

/** Counts and logs a failed authentication. Returns the error to throw: the given one, or 429 when there were too many. */
export type CountFailedAuthentication = (
  ctx: Context,
  failure: Pick<FailedAuthentication, 'at' | 'directoryId'>,
  error: AppError,
) => AppError;

export const createCountFailedAuthentication =
  ({ failures, isTrustedProxy }: CountFailedAuthenticationDeps): CountFailedAuthentication =>
  (ctx, failure, error) => {
    const requestId = ctx.state['requestId'] as string;
    const { exceeded, isLogged } = failures.note({ ...failure, address: readClientAddress(ctx, isTrustedProxy), requestId });
    if (!exceeded) return error;
    // A summary is logged instead.
    ctx.state['isSummarized'] = !isLogged;
    const seconds = Math.max(1, Math.ceil(exceeded.waitMs / 1_000));
    ctx.set('Retry-After', String(seconds));
    return new AppError('rate_limited', `${describe(exceeded)} Try again in ${seconds} s.`);
  };

const describe = ({ limit, setting, perMinute }: Exceeded) =>
  `The credentials are invalid, and there were too many failed authentications ${limit === 'source' ? 'from this address' : 'for this directory'}: ${setting} allows ${perMinute} a minute.`;
