import Koa, { type Middleware } from 'koa';
import { readVersion } from '../shared/version.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';
import type { Logger } from '../logger.ts';
import { authenticateApiKey, type ApiKeyDeps } from './authenticate-api-key.ts';
import { authenticateDirectory, type DirectoryAuthenticationDeps } from './authenticate-directory.ts';
import { authenticateGateway } from './authenticate-gateway.ts';
import { peerOf } from './caller.ts';
import { envelope } from './envelope.ts';
import { leasesAddress } from './routes/limit-leases.ts';
import type { ResponseMemory } from '../store/response-memory.ts';
import { holdResponses } from './hold-responses.ts';
import { limitProject, limitVolume } from './limit-requests.ts';
import { logRequests } from './log-requests.ts';
import { measureScim } from './measure-scim.ts';
import { recordRequests } from './record-requests.ts';
import { refuseMisspeltParameters } from './refuse-misspelt-parameters.ts';
import { healthRoutes } from './routes/health.ts';
import { decisionAddress, limitDecision } from './routes/limit-decision.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { createRouters, type RouterDeps } from './routers.ts';
import { pages } from './page.ts';
import { routing } from './routing.ts';
import { scimDialect } from './scim-dialect.ts';
import { under } from './under.ts';

export interface ApiDeps extends Omit<RouterDeps, 'version'>, ApiKeyDeps, DirectoryAuthenticationDeps {
  recordRequest: Parameters<typeof recordRequests>[0];
  responseMemory: ResponseMemory;
  log: Logger;
}

/** Every address below a prefix is authenticated before anything is said of it, also of one that does not exist. */
export function createApi(deps: ApiDeps): Koa {
  const { log, limiting } = deps;
  const routers = createRouters({ ...deps, version: readVersion() });
  const app = new Koa();
  app.on('error', (error: Error) => log.warn({ error: toLoggableMessage(error) }, 'a response could not be sent'));
  app.use(logRequests(log));
  app.use(withoutStoring);
  // None of this stands in the way of a request while nothing is limited.
  const unknown = limiting ? [limitVolume(limiting)] : [];
  const authenticated = limiting ? [limitProject(limiting)] : [];
  const open = limiting ? [limitVolume(limiting), limitProject(limiting, { isOpen: true })] : [];
  if (limiting) {
    const flood = limitVolume(limiting);
    // A trusted proxy asks for others, who are counted by what it asks.
    const strangers: Middleware = (ctx, next) => (limiting.isTrustedProxy(peerOf(ctx)) ? next() : flood(ctx, next));
    const asGateway = [envelope(log), strangers, authenticateGateway(deps, limiting.isTrustedProxy)];
    app.use(under(decisionAddress, ...asGateway, limitDecision(limiting)));
    app.use(under(leasesAddress, ...asGateway, ...routers.gateway.map(routing)));
  }
  app.use(under('/api/scim/oauth/', pages(log), ...open, ...routers.consent.map(routing)));
  app.use(
    under(
      '/api/scim',
      measureScim(deps.metrics),
      recordRequests(deps.recordRequest) as Middleware,
      scimDialect(log),
      withoutEmptySegments,
      ...unknown,
      authenticateDirectory(deps) as Middleware,
      ...authenticated,
      holdResponses(deps.responseMemory),
      ...routers.scim.map(routing),
    ),
  );
  app.use(
    under(
      '/api/',
      envelope(log),
      ...unknown,
      authenticateApiKey(deps, 'api'),
      ...authenticated,
      withIdsInSmallLetters,
      refuseMisspeltParameters(),
      holdResponses(deps.responseMemory),
      ...routers.api.map(routing),
    ),
  );
  app.use(
    under('/metrics', envelope(log), ...unknown, authenticateApiKey(deps, 'metrics'), ...authenticated, ...routers.metrics.map(routing)),
  );
  app.use(envelope(log));
  for (const router of routers.health) app.use(routing(router));
  // What is left is the description, or no address of ours.
  for (const limit of open) app.use(limit);
  for (const router of routers.description) app.use(routing(router));
  return app;
}

/** A worker's own small server: only its health. */
export function createHealthServer({ findMissing, log }: Pick<ApiDeps, 'findMissing' | 'log'>): Koa {
  const app = new Koa();
  app.use(envelope(log));
  app.use(routing(healthRoutes(findMissing)));
  return app;
}

/** For whoever collects figures, at an address of its own, and therefore open. */
export function createMetricsServer({ metrics, log }: Pick<ApiDeps, 'metrics' | 'log'>): Koa {
  const app = new Koa();
  app.use(envelope(log));
  app.use(routing(metricsRoutes(metrics)));
  return app;
}

/** Below /api/ are secrets and people's data: no cache on the way, and no browser, is to keep them. */
const withoutStoring: Middleware = (ctx, next) => {
  if (ctx.path.startsWith('/api/')) ctx.set('Cache-Control', 'no-store');
  return next();
};

/** Some write UUIDs in capitals. Here they name workflows too, and there each is to have one name. */
const withIdsInSmallLetters: Middleware = (ctx, next) => {
  ctx.path = ctx.path.replaceAll(/(?<=\/)[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/gi, (id) => id.toLowerCase());
  return next();
};

/** A provider that joins an address ending in a slash and a path beginning with one sends two (Entra, with its flag). */
const withoutEmptySegments: Middleware = (ctx, next) => {
  ctx.path = ctx.path.replaceAll(/\/{2,}/g, '/');
  return next();
};
