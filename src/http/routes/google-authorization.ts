import Router from '@koa/router';
import type { Authorization } from '../../directory/sync/authorize.ts';
import { readExchangeRequest, readTokenRequest } from '../../directory/sync/sync-requests.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { presentDirectory } from '../presenters.ts';
import { readJson } from '../read-json.ts';

export interface GoogleAuthorizationRoutesDeps {
  authorization: Authorization;
  baseUrl(): string;
  maxBodyBytes: number;
}

/** The three steps of an authorisation, for an application that leads its customer through them itself. */
export function googleAuthorizationRoutes({ authorization, baseUrl, maxBodyBytes }: GoogleAuthorizationRoutesDeps): Router {
  const router = new Router();
  router.post(directorySyncPaths('/:directoryId/google/authorization-url'), async (ctx) => {
    answer(ctx, { authorizationUrl: await authorization.generateAuthorizationUrl(ctx.params['directoryId']!) });
  });
  router.post(directorySyncPaths('/:directoryId/google/exchange'), async (ctx) => {
    const { code, state } = readExchangeRequest(await readJson(ctx, maxBodyBytes));
    answer(ctx, await authorization.exchangeCode(ctx.params['directoryId']!, code, state));
  });
  router.post(directorySyncPaths('/:directoryId/google/token'), async (ctx) => {
    const tokens = readTokenRequest(await readJson(ctx, maxBodyBytes));
    answer(ctx, presentDirectory(await authorization.setToken(ctx.params['directoryId']!, tokens), baseUrl()));
  });
  return router;
}
