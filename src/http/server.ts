import Koa, { type Middleware } from 'koa';
import type { DirectoryStore } from '../directory/ports.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import { authenticateApiKey } from './authenticate-api-key.ts';
import { authenticateDirectory } from './authenticate-directory.ts';
import { authenticateGateway } from './authenticate-gateway.ts';
import { peerOf } from './caller.ts';
import { envelope } from './envelope.ts';
import { limitProject, limitVolume, type LimitingDeps } from './limit-requests.ts';
import { logRequests } from './log-requests.ts';
import { measureScim } from './measure-scim.ts';
import { recordRequests } from './record-requests.ts';
import { cronRoutes, type CronRoutesDeps } from './routes/cron.ts';
import { deliveryControlRoutes, type DeliveryControlRoutesDeps } from './routes/delivery-control.ts';
import { deliveryRoutes, type DeliveryRoutesDeps } from './routes/deliveries.ts';
import { directoryRoutes, type DirectoryRoutesDeps } from './routes/directories.ts';
import { directoryGroupRoutes, type DirectoryGroupRoutesDeps } from './routes/directory-groups.ts';
import { directoryUserRoutes, type DirectoryUserRoutesDeps } from './routes/directory-users.ts';
import { eventFeedRoutes, type EventFeedRoutesDeps } from './routes/event-feed.ts';
import { googleAuthorizationRoutes, type GoogleAuthorizationRoutesDeps } from './routes/google-authorization.ts';
import { googleConsentRoutes, type GoogleConsentRoutesDeps } from './routes/google-consent.ts';
import { healthRoutes, type FindMissing } from './routes/health.ts';
import { decisionAddress, limitDecision } from './routes/limit-decision.ts';
import { leasesAddress, limitLeaseRoutes } from './routes/limit-leases.ts';
import { limitRoutes } from './routes/limits.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { recordedRequestRoutes, type RecordedRequestRoutesDeps } from './routes/recorded-requests.ts';
import { replayRoutes, type ReplayRoutesDeps } from './routes/replays.ts';
import { scimSecretRoutes, type ScimSecretRoutesDeps } from './routes/scim-secrets.ts';
import { statsRoutes, type StatsRoutesDeps } from './routes/stats.ts';
import { scimBulkRoutes, type ScimBulkRoutesDeps } from './routes/scim-bulk.ts';
import { scimDiscoveryRoutes, type ScimDiscoveryRoutesDeps } from './routes/scim-discovery.ts';
import { scimResourceRoutes, type ScimResourceRoutesDeps } from './routes/scim-resources.ts';
import { pages } from './page.ts';
import { routing } from './routing.ts';
import { syncRoutes, type SyncRoutesDeps } from './routes/syncs.ts';
import { webhookEventRoutes, type WebhookEventRoutesDeps } from './routes/webhook-events.ts';
import { scimDialect } from './scim-dialect.ts';
import { under } from './under.ts';

export interface ApiDeps
  extends
    CronRoutesDeps,
    DeliveryControlRoutesDeps,
    DeliveryRoutesDeps,
    DirectoryRoutesDeps,
    DirectoryUserRoutesDeps,
    DirectoryGroupRoutesDeps,
    EventFeedRoutesDeps,
    GoogleAuthorizationRoutesDeps,
    GoogleConsentRoutesDeps,
    RecordedRequestRoutesDeps,
    ReplayRoutesDeps,
    ScimResourceRoutesDeps,
    ScimBulkRoutesDeps,
    ScimDiscoveryRoutesDeps,
    ScimSecretRoutesDeps,
    StatsRoutesDeps,
    SyncRoutesDeps,
    WebhookEventRoutesDeps {
  directoryStore: Pick<DirectoryStore, 'getScimAccess'>;
  noteSecretUse: Parameters<typeof authenticateDirectory>[1];
  recordRequest: Parameters<typeof recordRequests>[0];
  apiKeys: string[];
  findMissing: FindMissing;
  metrics: Metrics;
  /** Absent where nothing is limited. */
  limiting?: LimitingDeps | undefined;
  log: Logger;
}

/** Every address below a prefix is authenticated before anything is said of it, also of one that does not exist. */
export function createApi(deps: ApiDeps): Koa {
  const { log, limiting } = deps;
  const app = new Koa();
  app.on('error', (error: Error) => log.warn({ error: error.message }, 'a response could not be sent'));
  app.use(logRequests(log));
  // None of this stands in the way of a request while nothing is limited.
  const unknown = limiting ? [limitVolume(limiting)] : [];
  const authenticated = limiting ? [limitProject(limiting)] : [];
  const open = limiting ? [limitVolume(limiting), limitProject(limiting, { isOpen: true })] : [];
  if (limiting) {
    const flood = limitVolume(limiting);
    // A trusted proxy asks for others, who are counted by what it asks.
    const strangers: Middleware = (ctx, next) => (limiting.isTrustedProxy(peerOf(ctx)) ? next() : flood(ctx, next));
    const asGateway = [envelope(log), strangers, authenticateGateway(deps.apiKeys, limiting.isTrustedProxy)];
    app.use(under(decisionAddress, ...asGateway, limitDecision(limiting)));
    app.use(under(leasesAddress, ...asGateway, routing(limitLeaseRoutes(limiting))));
  }
  app.use(under('/api/scim/oauth/', pages(log), ...open, routing(googleConsentRoutes(deps))));
  app.use(
    under(
      '/api/scim',
      measureScim(deps.metrics),
      recordRequests(deps.recordRequest) as Middleware,
      scimDialect(log),
      withoutEmptySegments,
      ...unknown,
      authenticateDirectory(deps.directoryStore, deps.noteSecretUse) as Middleware,
      ...authenticated,
      routing(scimDiscoveryRoutes(deps)),
      routing(scimBulkRoutes(deps)),
      routing(scimResourceRoutes(deps)),
    ),
  );
  app.use(
    under(
      '/api/',
      envelope(log),
      ...unknown,
      authenticateApiKey(deps.apiKeys),
      ...authenticated,
      withIdsInSmallLetters,
      routing(cronRoutes(deps)),
      routing(syncRoutes(deps)),
      routing(googleAuthorizationRoutes(deps)),
      // Before the directories, whose `/:directoryId` takes every word.
      routing(directoryUserRoutes(deps)),
      routing(directoryGroupRoutes(deps)),
      routing(webhookEventRoutes(deps)),
      routing(replayRoutes(deps)),
      routing(deliveryRoutes(deps)),
      routing(deliveryControlRoutes(deps)),
      routing(recordedRequestRoutes(deps)),
      routing(scimSecretRoutes(deps)),
      routing(statsRoutes(deps)),
      routing(directoryRoutes(deps)),
      routing(eventFeedRoutes(deps)),
      ...(limiting ? [routing(limitRoutes(limiting))] : []),
    ),
  );
  app.use(
    under('/metrics', envelope(log), ...unknown, authenticateApiKey(deps.apiKeys), ...authenticated, routing(metricsRoutes(deps.metrics))),
  );
  app.use(envelope(log));
  app.use(routing(healthRoutes(deps.findMissing)));
  // What is left is no address of ours.
  for (const limit of open) app.use(limit);
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
