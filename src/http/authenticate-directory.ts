import type { Middleware } from 'koa';
import type { DirectoryStore } from '../directory/ports.ts';
import { AppError } from '../errors.ts';
import { isId } from '../ids.ts';
import { readCredentials } from './credentials.ts';
import type { CountFailedAuthentication } from './count-failed-authentication.ts';
import { isSameSecret } from './same-secret.ts';

export interface ScimState {
  directoryId: string;
}

export interface DirectoryAuthenticationDeps {
  directoryStore: Pick<DirectoryStore, 'getScimAccess'>;
  /** Does not wait, and may fail unseen. */
  noteSecretUse: (directoryId: string, secretId: string) => void;
  countFailedAuthentication: CountFailedAuthentication;
}

/** An unknown directory, a hosted one and a wrong secret look the same from outside, also when they are limited. */
export function authenticateDirectory({
  directoryStore: store,
  noteSecretUse: noteUse,
  countFailedAuthentication,
}: DirectoryAuthenticationDeps): Middleware<ScimState> {
  return async function checkDirectorySecret(ctx, next) {
    const id = /^\/api\/scim\/v2\.0\/([^/]+)/.exec(ctx.path)?.[1]?.toLowerCase();
    if (id === undefined)
      throw new AppError('not_found', 'There is nothing at this address; a SCIM address starts with /api/scim/v2.0/<directory id>.');
    const given = readCredentials(ctx);
    const access = given !== undefined && isId(id) ? await store.getScimAccess(id) : undefined;
    // As long for a directory that nobody knows as for one with a single secret.
    const secrets = access?.secrets.length ? access.secrets : [nobodys];
    const used = secrets.filter(({ secret }) => isSameSecret(given ?? '', secret)).find(({ id: secretId }) => secretId !== nobodys.id);
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

const nobodys = { id: '', secret: 'no directory has this secret, and nobody can give it', isUseNoted: true };
