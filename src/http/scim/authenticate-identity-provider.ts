import { timingSafeEqual } from 'node:crypto';
import type { Middleware } from 'koa';
import type { DirectoryStore, ScimAccess } from '../../directory/ports.ts';
import { hashCredential, isAccessToken } from '../../directory/scim-clients/credentials.ts';
import { AppError } from '../../errors.ts';
import { toDirectoryKey } from '../../directory/directories/former-ids.ts';
import { isId } from '../../ids.ts';
import type { HttpDeps } from '../deps.ts';
import { signalOf } from '../server/caller-connection.ts';
import type { CountFailedAuthentication } from '../server/authenticate-api-key.ts';
import { isSameSecret, readCredentials } from '../server/credentials.ts';

interface ScimState {
  directoryId: string;
}

export interface ProviderAuthenticationDeps extends Pick<HttpDeps, 'runUntilAborted'> {
  directoryStore: Pick<DirectoryStore, 'getScimAccess'>;
  /** Runs in the background; errors are only logged. */
  noteSecretUse: (directoryId: string, secretId: string) => void;
  countFailedAuthentication: CountFailedAuthentication;
  now?: () => number;
}

/** An unknown directory, a pulled one and a wrong secret get the same response, even when they are rate-limited. */
export function authenticateIdentityProvider({
  directoryStore: store,
  noteSecretUse: noteUse,
  countFailedAuthentication,
  runUntilAborted,
  now = Date.now,
}: ProviderAuthenticationDeps): Middleware<ScimState> {
  return async function checkDirectorySecret(ctx, next) {
    const shown = /^\/api\/scim\/v2\.0\/([^/]+)/.exec(ctx.path)?.[1]?.toLowerCase();
    if (shown === undefined)
      throw new AppError('not_found', 'This path does not exist. A SCIM address starts with /api/scim/v2.0/<directory id>.');
    const id = toDirectoryKey(shown);
    const given = readCredentials(ctx);
    const token = /^bearer /i.test(ctx.get('authorization')) && given !== undefined && isAccessToken(given) ? given : undefined;
    const read = (isFresh: boolean) => runUntilAborted(signalOf(ctx), () => store.getScimAccess(id, { isFresh }));
    let access = given !== undefined && isId(id) ? await read(false) : undefined;
    let hasToken = token !== undefined && includesToken(access, token, now());
    if (token !== undefined && access && !access.isFresh && !hasToken) {
      access = await read(true);
      hasToken = includesToken(access, token, now());
    }
    // An unknown directory takes as long as one with a single secret.
    const secrets = access?.secrets.length ? access.secrets : [dummySecret];
    const used = secrets.filter(({ secret }) => isSameSecret(given ?? '', secret)).find(({ id: secretId }) => secretId !== dummySecret.id);
    if (!access || !(used || hasToken)) {
      ctx.set('WWW-Authenticate', 'Bearer');
      throw countFailedAuthentication(
        ctx,
        { at: 'scim', directoryId: isId(id) ? id : undefined },
        new AppError(
          'unauthorized',
          'Unknown directory or invalid bearer token. Send the secret of the directory: `Authorization: Bearer <secret>`.',
        ),
      );
    }
    if (used && !used.isUseNoted) noteUse(access.directoryId, used.id);
    ctx.state.directoryId = access.directoryId;
    if (access.deactivated) throw new AppError('forbidden', 'This directory is deactivated; nothing was changed.');
    return next();
  };
}

/** Compares with all tokens of the directory, so that the time does not say which one matched. */
function includesToken(access: ScimAccess | undefined, given: string, nowMs: number): boolean {
  const hash = hashCredential(given);
  const same = (access?.tokens ?? []).filter((token) => timingSafeEqual(hash, token.hash));
  return same.some(({ expiresAtMs }) => expiresAtMs > nowMs);
}

const dummySecret = { id: '', secret: 'not the secret of any directory', isUseNoted: true };
