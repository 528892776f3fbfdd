import type { Context } from 'koa';
import { z } from 'zod';
import type { AuditAction } from '../../audit/act.ts';
import type { HttpDeps } from '../deps.ts';
import { assertConsistent, type Operation } from '../operation.ts';

/** A page for people. It is not part of the API, so the OpenAPI document does not contain it. */
export function definePage(
  method: 'get' | 'post',
  path: string,
  handle: (ctx: Context, deps: HttpDeps) => Promise<void> | void,
  audit?: AuditAction[],
): Operation {
  const page: Operation = {
    id: `${method} ${path}`,
    method,
    path,
    tag: 'Sessions',
    auth: 'none',
    format: 'page',
    title: path,
    responses: { 200: { description: 'A page.', content: { 'text/html': z.string() } } },
    ...(audit && { audit }),
    handle: async (ctx, deps) => handle(ctx, deps),
  };
  assertConsistent(page);
  return page;
}

/** The path under which browsers request a page: a proxy may add a prefix. */
export const addressOf = ({ baseUrl }: Pick<HttpDeps, 'baseUrl'>, path: string): string =>
  `${new URL(baseUrl()).pathname.replace(/\/$/, '')}${path}`;

/** Loads the page with GET, also after a form was sent. */
export function redirect(ctx: Context, to: string): void {
  ctx.redirect(to);
  ctx.status = 303;
}
