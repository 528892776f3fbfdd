import { apiKeyOperations } from './api/api-keys/operations.ts';
import { attributeOperations } from './api/attributes/operations.ts';
import { readActivity } from './api/activity/operations.ts';
import { auditOperations } from './api/audit/operations.ts';
import { deliveryOperations, webhookOperations } from './api/deliveries/operations.ts';
import { directoryOperations } from './api/directories/operations.ts';
import { recordedRequestOperations } from './api/directories/request-operations.ts';
import { docsOperations } from './api/docs/operations.ts';
import { listEvents } from './api/events/operations.ts';
import { consentOperations } from './api/consent/operations.ts';
import { entraOperations } from './api/entra/operations.ts';
import { googleOperations } from './api/google/operations.ts';
import { groupOperations } from './api/groups/operations.ts';
import { healthOperations, readMetrics } from './api/health/operations.ts';
import { decisionOperations } from './api/limits/decision.ts';
import { getLimits, leaseOperations } from './api/limits/operations.ts';
import { getOverview } from './api/overview/operations.ts';
import { personalDataOperations } from './api/personal-data/operations.ts';
import { roleOperations } from './api/roles/operations.ts';
import { replayOperations } from './api/replays/operations.ts';
import { createSession, sessionOperations } from './api/sessions/operations.ts';
import { reconcileDirectory } from './api/drift/operations.ts';
import { readSnapshot } from './api/snapshots/operations.ts';
import { statsOperations } from './api/stats/operations.ts';
import { setupLinkOperations } from './api/setup-links/operations.ts';
import { syncOperations } from './api/syncs/operations.ts';
import { userOperations } from './api/users/operations.ts';
import { webhookEventOperations } from './api/webhook-events/operations.ts';
import { uploadFiles } from './api/files/operations.ts';
import { uploadTokenOperations } from './api/upload-tokens/operations.ts';
import { scimClientOperations } from './api/scim-clients/operations.ts';
import { setupOperations } from './setup/api-operations.ts';
import { setupPageOperations } from './setup/page-operations.ts';
import { setupRolesOperations } from './setup/roles-operations.ts';
import { oauthOperations } from './oauth/operations.ts';
import type { Operation } from './operation.ts';
import { bulkOperation } from './scim/operations/bulk.ts';
import { discoveryOperations, meOperations } from './scim/operations/discovery.ts';
import { resourceOperations } from './scim/operations/resources.ts';

/**
 * All operations of the OpenAPI document in its order, by where they are mounted and so by who
 * may call them. The pages of the console are apart.
 */
export const operations = {
  /** An application calls these with an API key. */
  api: [
    ...directoryOperations,
    ...recordedRequestOperations,
    readActivity,
    ...scimClientOperations,
    ...userOperations,
    ...personalDataOperations,
    ...groupOperations,
    ...attributeOperations,
    ...roleOperations,
    readSnapshot,
    reconcileDirectory,
    listEvents,
    ...deliveryOperations,
    ...webhookOperations,
    ...replayOperations,
    ...webhookEventOperations,
    ...syncOperations,
    uploadFiles,
    ...uploadTokenOperations,
    ...googleOperations,
    ...entraOperations,
    ...setupLinkOperations,
    ...auditOperations,
    getOverview,
    ...statsOperations,
    getLimits,
    ...apiKeyOperations,
    ...sessionOperations,
  ],
  /** A page of this service calls it with an API key in the body. */
  signIn: [createSession],
  /** A gateway calls these with an API key, or from a trusted proxy. */
  gateway: leaseOperations,
  decisions: decisionOperations,
  /** A customer's administrator opens these in a browser. */
  consent: consentOperations,
  /** A customer's administrator opens these with a setup link. */
  setup: setupOperations,
  setupPages: [...setupPageOperations, ...setupRolesOperations],
  /** A monitor calls these with an API key, or without one on a port of their own. */
  metrics: [readMetrics],
  /** Everyone may call these. */
  health: healthOperations,
  docs: docsOperations,
  /** An identity provider calls these with the credentials of an OAuth client. */
  oauth: oauthOperations,
  /** An identity provider calls these with a directory's SCIM secret, or an access token. */
  scim: [...resourceOperations, bulkOperation, ...discoveryOperations, ...meOperations],
} satisfies Record<string, Operation[]>;

export const allOperations: Operation[] = Object.values(operations).flat();
