import Router from '@koa/router';
import type { Directories } from '../../directory/directories.ts';
import type { Directory } from '../../directory/directory.ts';
import {
  createDirectoryRequest,
  ownerQuery,
  pageQuery,
  productQuery,
  readDirectoryRequest,
  readRequest,
  updateDirectoryRequest,
  type CreateDirectoryRequest,
  type UpdateDirectoryRequest,
} from '../../directory/directory-requests.ts';
import { findWebhookSecretWarnings, type Warning } from '../../directory/webhook-secret-warnings.ts';
import { directorySyncPaths } from '../directory-sync-paths.ts';
import { answer } from '../envelope.ts';
import { presentDirectory, presentHealth } from '../presenters.ts';
import { readJson } from '../read-json.ts';

export interface DirectoryRoutesDeps {
  directories: Directories;
  baseUrl(): string;
  maxBodyBytes: number;
}

export function directoryRoutes({ directories, baseUrl, maxBodyBytes }: DirectoryRoutesDeps): Router {
  const router = new Router();
  const all = directorySyncPaths();
  const one = directorySyncPaths('/:directoryId');
  const present = (directory: Directory) => presentDirectory(directory, baseUrl());

  router.post(all, async (ctx) => {
    const request = readDirectoryRequest(createDirectoryRequest, await readJson(ctx, maxBodyBytes));
    answer(ctx, { ...present(await directories.create(request)), ...presentWarnings(request) }, 201);
  });
  router.get(all, async (ctx) => {
    const owner = readRequest(ownerQuery, ctx.query);
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await directories.list(owner, page)).map(present));
  });
  router.get(directorySyncPaths('/product'), async (ctx) => {
    const { product } = readRequest(productQuery, ctx.query);
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await directories.list({ product }, page)).map(present));
  });
  router.get(directorySyncPaths('/all'), async (ctx) => {
    const page = readRequest(pageQuery, ctx.query);
    answer(ctx, (await directories.list({}, page)).map(present));
  });
  router.get(one, async (ctx) => {
    const { directory, health, quotas } = await directories.getWithHealth(ctx.params['directoryId']!);
    answer(ctx, { ...present(directory), health: presentHealth(health, quotas) });
  });
  router.patch(one, async (ctx) => {
    const request = readDirectoryRequest(updateDirectoryRequest, await readJson(ctx, maxBodyBytes));
    answer(ctx, { ...present(await directories.update(ctx.params['directoryId']!, request)), ...presentWarnings(request) });
  });
  router.delete(one, async (ctx) => {
    await directories.remove(ctx.params['directoryId']!);
    answer(ctx, {});
  });
  return router;
}

function presentWarnings({ webhook_secret: secret, webhook }: CreateDirectoryRequest | UpdateDirectoryRequest): { warnings?: Warning[] } {
  const warnings =
    secret === undefined
      ? findWebhookSecretWarnings('webhook.secret', webhook?.secret)
      : findWebhookSecretWarnings('webhook_secret', secret);
  return warnings.length > 0 ? { warnings } : {};
}
