import type { Metrics } from '../metrics.ts';
import type { LimitingDeps } from './limit-requests.ts';
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
import { limitLeaseRoutes } from './routes/limit-leases.ts';
import { limitRoutes } from './routes/limits.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { recordedRequestRoutes, type RecordedRequestRoutesDeps } from './routes/recorded-requests.ts';
import { replayRoutes, type ReplayRoutesDeps } from './routes/replays.ts';
import { scimSecretRoutes, type ScimSecretRoutesDeps } from './routes/scim-secrets.ts';
import { statsRoutes, type StatsRoutesDeps } from './routes/stats.ts';
import { scimBulkRoutes, type ScimBulkRoutesDeps } from './routes/scim-bulk.ts';
import { scimDiscoveryRoutes, type ScimDiscoveryRoutesDeps } from './routes/scim-discovery.ts';
import { scimResourceRoutes, type ScimResourceRoutesDeps } from './routes/scim-resources.ts';
import { syncRoutes, type SyncRoutesDeps } from './routes/syncs.ts';
import { webhookEventRoutes, type WebhookEventRoutesDeps } from './routes/webhook-events.ts';
import { openApiRoutes, type OpenApiRoutesDeps } from './routes/openapi.ts';

export interface RouterDeps
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
    OpenApiRoutesDeps,
    RecordedRequestRoutesDeps,
    ReplayRoutesDeps,
    ScimResourceRoutesDeps,
    ScimBulkRoutesDeps,
    ScimDiscoveryRoutesDeps,
    ScimSecretRoutesDeps,
    StatsRoutesDeps,
    SyncRoutesDeps,
    WebhookEventRoutesDeps {
  findMissing: FindMissing;
  metrics: Metrics;
  /** Absent where nothing is limited. */
  limiting?: LimitingDeps | undefined;
}

/** All routers there are, by who may ask; each in the order in which they are asked. */
export const createRouters = (deps: RouterDeps) => ({
  gateway: deps.limiting ? [limitLeaseRoutes(deps.limiting)] : [],
  consent: [googleConsentRoutes(deps)],
  scim: [scimDiscoveryRoutes(deps), scimBulkRoutes(deps), scimResourceRoutes(deps)],
  api: [
    cronRoutes(deps),
    syncRoutes(deps),
    googleAuthorizationRoutes(deps),
    // Before the directories, whose `/:directoryId` takes every word.
    directoryUserRoutes(deps),
    directoryGroupRoutes(deps),
    webhookEventRoutes(deps),
    replayRoutes(deps),
    deliveryRoutes(deps),
    deliveryControlRoutes(deps),
    recordedRequestRoutes(deps),
    scimSecretRoutes(deps),
    statsRoutes(deps),
    directoryRoutes(deps),
    eventFeedRoutes(deps),
    ...(deps.limiting ? [limitRoutes(deps.limiting)] : []),
  ],
  metrics: [metricsRoutes(deps.metrics)],
  health: [healthRoutes(deps.findMissing)],
  description: [openApiRoutes(deps)],
});
