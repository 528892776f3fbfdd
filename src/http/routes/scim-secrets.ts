import Router from '@koa/router';
import { readScimRotation, type ScimSecrets } from '../../directory/scim-secrets.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { readOptionalJson } from '../read-optional-json.ts';

export interface ScimSecretRoutesDeps {
  scimSecrets: ScimSecrets;
  maxBodyBytes: number;
}

export function scimSecretRoutes({ scimSecrets, maxBodyBytes }: ScimSecretRoutesDeps): Router {
  const router = new Router();
  router.post(directorySyncPaths('/:directoryId/scim/secret/rotate'), async (ctx) => {
    const rotation = readScimRotation(await readOptionalJson(ctx, maxBodyBytes));
    const { secret, expiresAt, previousValidUntil } = await scimSecrets.rotate(ctx.params['directoryId']!, rotation);
    answer(ctx, {
      secret,
      expires_at: expiresAt?.toISOString() ?? null,
      previous_valid_until: previousValidUntil?.toISOString() ?? null,
    });
  });
  return router;
}
