import type { Middleware } from 'koa';
import type { DirectoryStore } from '../../directory/ports.ts';
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
}

/** An unknown directory, a pulled one and a wrong secret get the same response, even when they are rate-limited. */
export function authenticateIdentityProvider({
  directoryStore: store,
  noteSecretUse: noteUse,
  countFailedAuthentication,
  runUntilAborted,
}: ProviderAuthenticationDeps): Middleware<ScimState> {
  return async function checkDirectorySecret(ctx, next) {
    const shown = /^\/api\/scim\/v2\.0\/([^/]+)/.exec(ctx.path)?.[1]?.toLowerCase();
    if (shown === undefined)
      throw new AppError('not_found', 'Nothing is served at this path. A SCIM address starts with /api/scim/v2.0/<directory id>.');
    const id = toDirectoryKey(shown);
    const given = readCredentials(ctx);
    const access = given !== undefined && isId(id) ? await runUntilAborted(signalOf(ctx), () => store.getScimAccess(id)) : undefined;
    // An unknown directory takes as long as one with a single secret.
    const secrets = access?.secrets.length ? access.secrets : [dummySecret];
    const used = secrets.filter(({ secret }) => isSameSecret(given ?? '', secret)).find(({ id: secretId }) => secretId !== dummySecret.id);
    if (!access || !used) {
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
    if (!used.isUseNoted) noteUse(access.directoryId, used.id);
    ctx.state.directoryId = access.directoryId;
    if (access.deactivated) throw new AppError('forbidden', 'This directory is deactivated; nothing was changed.');
    return next();
  };
}

const dummySecret = { id: '', secret: 'not the secret of any directory', isUseNoted: true };
