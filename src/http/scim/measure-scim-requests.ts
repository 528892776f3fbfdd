import type { Middleware } from 'koa';
import type { Metrics } from '../../metrics.ts';

const types = ['Users', 'Groups', 'Bulk', 'Me', 'Schemas', 'ResourceTypes', 'ServiceProviderConfig', '.search'];

/** Counts and times requests by route and status. The route has few values, whatever the path is. */
export const measureScimRequests =
  (metrics: Pick<Metrics, 'scimRequest'>): Middleware =>
  async (ctx, next) => {
    const startedMs = performance.now();
    const route = routeOf(ctx.path);
    await next();
    metrics.scimRequest({ method: ctx.method, route, status: ctx.status }, (performance.now() - startedMs) / 1000);
  };

function routeOf(path: string): string {
  const [, , , , , first = '', second] = path.replaceAll(/\/{2,}/g, '/').split('/');
  const type = types.find((known) => known.toLowerCase() === first.toLowerCase());
  if (type === undefined) return 'other';
  if (!second) return type;
  return second === '.search' ? `${type}/.search` : `${type}/:id`;
}
