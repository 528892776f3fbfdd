import { type Caller, isAdministrator } from '../../../access/caller.ts';
import type { HttpDeps } from '../../deps.ts';
import { publicDirectoryId } from '../../../directory/directories/former-ids.ts';
import { isAuthorized, stateOf, type Directory } from '../../../directory/directories/directory.ts';
import type { DirectoryWithHealth } from '../../../directory/directories/directories.ts';
import { presentFailing } from '../deliveries/presenter.ts';
import { toTime } from '../schema-fields.ts';
import type { CreatedDirectoryBody, DirectoryBody, HealthBody, RecordedRequestBody } from './schemas.ts';
import { findUnknownAttributes } from '../../../directory/recorded-requests/find-unknown-attributes.ts';
import type { RecordedRequest } from '../../../directory/recorded-requests/recorded-request.ts';

interface Shown {
  webhookSecret: boolean;
  others: boolean;
}

/** Which secrets a response shows: all to a caller that may read them, and a webhook secret that the request has created. */
export function showSecrets(
  caller: Caller,
  { showsSecretsOnce }: Pick<HttpDeps, 'showsSecretsOnce'>,
  { createsWebhookSecret = false } = {},
): Shown {
  const mayRead = caller.scopes.has('secrets:read') && !showsSecretsOnce;
  return { webhookSecret: mayRead || createsWebhookSecret, others: mayRead };
}

export function presentCreatedDirectory(directory: Directory, baseUrl: string, shown: Shown): CreatedDirectoryBody {
  const body = presentDirectory(directory, baseUrl, shown);
  const { path, endpoint } = body.scim;
  return {
    ...body,
    scim: { path, endpoint, secret: directory.scimSecret ?? '' },
    webhook: { endpoint: body.webhook.endpoint, secret: directory.webhook?.secret ?? '' },
  };
}

export function presentDirectory(directory: Directory, baseUrl: string, shown: Shown): DirectoryBody {
  const { name, tenant, product, type, scimSecret, webhook, connection } = directory;
  return {
    id: publicDirectoryId(directory),
    name,
    tenant,
    product,
    type,
    log_webhook_events: directory.logWebhookEvents,
    user_state_events: directory.userStateEvents,
    inactive_users: directory.inactiveUsers,
    ...(directory.isChangingInactiveUsers && { inactive_users_change: 'in_progress' as const }),
    on_directory_delete: directory.onDirectoryDelete,
    deactivated: directory.deactivated,
    state: stateOf(directory),
    created_at: directory.createdAt.toISOString(),
    updated_at: directory.updatedAt.toISOString(),
    ...(connection === undefined && { accept_scim_secret: directory.acceptsScimSecret }),
    // A pulled directory has no SCIM address. Applications for Polis expect the object with empty strings.
    scim:
      scimSecret === undefined
        ? { path: '', endpoint: '', secret: '' }
        : { ...scimAddressOf(directory, baseUrl), ...presentSecret(scimSecret, shown.others) },
    webhook: { endpoint: webhook?.url ?? '', ...presentSecret(webhook?.secret ?? '', shown.webhookSecret) },
    ...(directory.legacySignatures !== undefined && { webhook_legacy_signatures: directory.legacySignatures }),
    ...(connection &&
      type === 'google' && {
        google_domain: connection.domain,
        google_access_token: shown.others ? connection.accessToken : hideToken(connection.accessToken),
        google_refresh_token: shown.others ? connection.refreshToken : hideToken(connection.refreshToken),
        google_admin_email: connection.adminEmail,
        google_groups: connection.groups,
        google_org_units: connection.orgUnits,
        google_authorization_url: `${baseUrl}/api/scim/oauth/authorize`,
        google_authorization: isAuthorized(connection) ? 'authorized' : 'needs_authorization',
        google_authorization_error: connection.authorizationError ?? null,
      }),
    ...(connection &&
      type === 'entra' && {
        entra_tenant_id: connection.account,
        entra_groups: connection.groups,
        entra_assigned_only: connection.assignedOnly,
        entra_authorization_url: `${baseUrl}/api/scim/oauth/authorize`,
        entra_authorization: isAuthorized(connection) ? ('authorized' as const) : ('needs_authorization' as const),
        entra_authorization_error: connection.authorizationError ?? null,
      }),
  };
}

/** A caller can send a directory back as it was read: null leaves a secret as it is. */
const presentSecret = (secret: string, isShown: boolean) =>
  isShown || secret === '' ? { secret } : { secret: null, secret_hint: toSecretHint(secret) };

const hideToken = (token: string) => (token === '' ? '' : null);

const [hintLength, minHintedLength] = [4, 20];

/** The last characters, by which people recognize a secret. Of a short one they would be too large a part. */
const toSecretHint = (secret: string) => `…${secret.length < minHintedLength ? '' : secret.slice(-hintLength)}`;

/** Empty for a pulled directory. */
export function scimAddressOf(directory: Directory, baseUrl: string): { path: string; endpoint: string } {
  if (directory.scimSecret === undefined) return { path: '', endpoint: '' };
  // Entra inserts the resource before the query. The flag makes it send PATCH requests as the standard has them.
  const path = `/api/scim/v2.0/${publicDirectoryId(directory)}${directory.type === 'azure-scim-v2' ? '/?aadOptscim062020' : ''}`;
  return { path, endpoint: `${baseUrl}${path}` };
}

/** Workflows that are about a directory have its key as a search attribute, which may differ from its ID. */
export const presentWorkflowsUrl = (
  { id }: Directory,
  caller: Caller,
  { temporalWorkflowsUrl }: Pick<HttpDeps, 'temporalWorkflowsUrl'>,
  host: string,
) => {
  const url = isAdministrator(caller) ? temporalWorkflowsUrl(host) : undefined;
  return url === undefined ? {} : { temporal_workflows_url: `${url}?query=${encodeURIComponent(`DirectoryIds = "${id}"`)}` };
};

export const presentRecordedRequest = (request: RecordedRequest): RecordedRequestBody => ({
  id: request.id,
  at: request.at.toISOString(),
  method: request.method,
  path: request.path,
  status: request.status,
  scim_type: request.scimType ?? null,
  detail: request.detail ?? null,
  duration_ms: request.durationMs,
  request_id: request.requestId,
  user_agent: request.userAgent,
  content_type: request.contentType,
  body: request.body ?? null,
  body_state: request.bodyState,
  body_bytes: request.bodyBytes ?? null,
  unknown_attributes: findUnknownAttributes(request).map(({ name, suggestion }) => ({ name, suggestion: suggestion ?? null })),
});

export const presentHealth = ({
  health: { status, advice, lastPushAt, lastError, secretRejectedAt, users, groups, lackingRequired, scimSecrets, sync, delivery },
  quotas,
  growthError,
}: Omit<DirectoryWithHealth, 'directory'>): HealthBody => ({
  status,
  advice,
  last_push_at: toTime(lastPushAt),
  last_error: lastError ?? null,
  secret_rejected_at: toTime(secretRejectedAt),
  users,
  groups,
  users_missing_attributes: lackingRequired,
  quotas: {
    users: quotas.users,
    groups: quotas.groups,
    group_members: { ...quotas.groupMembers, used: quotas.groupMembers.used ?? null },
    groups_per_member: { ...quotas.groupsPerMember, used: quotas.groupsPerMember.used ?? null },
    memberships: quotas.memberships,
    resource_bytes: quotas.resourceBytes,
    undelivered_bytes: quotas.undeliveredBytes,
    history_bytes: quotas.historyBytes,
    staged_bytes: quotas.stagedBytes,
    replays: quotas.replays,
    searches: quotas.searches,
    ...(quotas.hourlyChanges && { hourly_changes: quotas.hourlyChanges }),
  },
  only_deletions: growthError ?? null,
  scim_secrets: scimSecrets.map((secret) => ({
    id: secret.id,
    created_at: toTime(secret.createdAt),
    expires_at: toTime(secret.expiresAt),
    last_used_at: toTime(secret.lastUsedAt),
  })),
  ...(sync && {
    sync: {
      run_id: sync.runId,
      state: sync.state,
      at: toTime(sync.at),
      last_success_at: toTime(sync.lastSuccessAt),
      error: sync.error ?? null,
    },
  }),
  delivery: {
    status: delivery.status,
    reason: delivery.reason ?? null,
    backlog: delivery.backlog,
    last_success_at: toTime(delivery.lastSuccessAt),
    ...presentFailing(delivery),
  },
});
