import type { Middleware } from 'koa';
import type { Metrics } from '../metrics.ts';

const known = /^\/api\/scim\/v2\.0\/[^/]+\/+(Users|Groups|Bulk|Me|Schemas|ResourceTypes|ServiceProviderConfig|\.search)(\/[^/]+)?\/?$/i;

/** By route and status. The route is one of few words, whatever is asked for. */
export const measureScim =
  (metrics: Pick<Metrics, 'scimRequest'>): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now();
    const [, type, id] = known.exec(ctx.path) ?? [];
    await next();
    const route = type === undefined ? 'other' : `${type}${id === undefined ? '' : id === '/.search' ? '/.search' : '/:id'}`;
    metrics.scimRequest({ method: ctx.method, route, status: ctx.status }, (performance.now() - startedMs) / 1000);
  };
