import { z } from 'zod';
import { reportedStatuses } from '../../../directory/delivery/ports.ts';
import {
  directoryStates,
  directoryTypes,
  directoryDeletePolicies,
  inactiveUserPolicies,
} from '../../../directory/directories/directory.ts';
import { bodyStates } from '../../../directory/recorded-requests/recorded-request.ts';
import { count, exampleId, field, id, timeOrNull } from '../schema-fields.ts';
import { healthStatuses } from '../../../directory/health/health-status.ts';
import { failingFields } from '../deliveries/schemas.ts';
import { warnings } from '../error-schema.ts';

const ifHidden = 'Null if the API key lacks the scope `secrets:read`, or with `SECRETS_SHOWN_ONCE`.';
const secretHint = field(z.string(), 'The last four characters of a secret that is not shown.').optional();

/** Without examples: those of a response show a directory that providers push to. */
const entra = {
  entra_tenant_id: field(z.string(), 'The ID of the Entra tenant; empty: no administrator has given consent yet.').optional(),
  entra_groups: field(z.array(z.string()), 'The groups that are synced, by ID; empty: all.').optional(),
  entra_assigned_only: field(
    z.boolean(),
    'Whether only users and groups that are assigned to the enterprise application are synced.',
  ).optional(),
  entra_authorization_url: field(z.string(), 'The address at which an administrator gives consent.').optional(),
  entra_authorization: field(
    z.enum(['authorized', 'needs_authorization']),
    'Whether the tenant is known and its consent was not revoked.',
  ).optional(),
  entra_authorization_error: field(z.string().nullable(), 'Why Microsoft no longer allows the application to read the tenant.').optional(),
};

const google = {
  google_domain: field(z.string(), 'The domain whose users are synced; empty: all domains of the workspace.').optional(),
  google_access_token: field(z.string().nullable(), `The access token; empty if none was given. ${ifHidden}`).optional(),
  google_refresh_token: field(z.string().nullable(), `The refresh token; empty if none was given. ${ifHidden}`).optional(),
  google_admin_email: field(z.string(), 'The administrator that the service account acts for.').optional(),
  google_groups: field(z.array(z.string()), 'The groups that are synced; empty: all.').optional(),
  google_org_units: field(z.array(z.string()), 'The organizational units that are synced; empty: all.').optional(),
  google_authorization_url: field(z.string(), 'The address at which an administrator authorizes the directory.').optional(),
  google_authorization: field(z.enum(['authorized', 'needs_authorization']), 'Whether the directory is authorized.').optional(),
  google_authorization_error: field(z.string().nullable(), 'Why Google no longer accepts the authorization.').optional(),
};

const scim = z.strictObject({
  path: field(z.string(), 'The path of the SCIM address.', `/api/scim/v2.0/${exampleId}`),
  endpoint: field(z.string(), 'The SCIM address.', `https://sync.example/api/scim/v2.0/${exampleId}`),
  secret: field(z.string().nullable(), `The bearer token for the identity provider. ${ifHidden}`, 'PfmQx3v0bC0k8m2J'),
  secret_hint: secretHint,
});
const webhook = z.strictObject({
  endpoint: field(z.string(), 'The address that events are sent to; empty: none.', 'https://app.example/hooks'),
  secret: field(z.string().nullable(), `The secret that webhooks are signed with. ${ifHidden}`, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
  secret_hint: secretHint,
});

export const directorySchema = z
  .strictObject({
    id: id("The directory's ID."),
    name: field(z.string(), 'Display name.', 'scim-acme-crm'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    type: field(z.enum(directoryTypes), 'The kind of identity provider.', 'okta-scim-v2'),
    log_webhook_events: field(z.boolean(), 'Whether event bodies are kept after delivery.', false),
    user_state_events: field(z.boolean(), 'Whether a change of `active` is `user.deactivated` or `user.reactivated`.', false),
    inactive_users: field(
      z.enum(inactiveUserPolicies),
      'With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`.',
      'keep',
    ),
    inactive_users_change: field(
      z.literal('in_progress'),
      'The events of a change of `inactive_users` are still emitted, in batches. Missing otherwise.',
      'in_progress',
    ).optional(),
    on_directory_delete: field(
      z.enum(directoryDeletePolicies),
      'With `events`, a deletion emits the removals of all users and groups first.',
      'silent',
    ),
    deactivated: field(z.boolean(), 'While true, requests of the identity provider fail with 403.', false),
    state: field(
      z.enum(directoryStates),
      'Whether the identity provider can change the directory: `needs_authorization` is for one that Rollcall reads; `deleting`: it is gone once its events are delivered.',
      'active',
    ),
    created_at: field(z.iso.datetime(), 'When it was created.', '2027-11-21T08:43:54.120Z'),
    updated_at: field(
      z.iso.datetime(),
      'When a setting last changed. Changes of users and groups do not count.',
      '2027-11-21T08:43:54.120Z',
    ),
    accept_scim_secret: field(
      z.boolean(),
      'Whether the SCIM secret is accepted beside access tokens of OAuth clients. Missing for a pulled directory.',
      true,
    ).optional(),
    scim: scim.meta({ description: 'What to configure at the identity provider. All strings are empty for a pulled directory.' }),
    webhook: webhook.meta({ description: 'Where events are sent.' }),
    webhook_legacy_signatures: field(
      z.boolean(),
      "Whether webhooks also carry the signatures of Ory Polis. Missing if the deployment's default applies.",
    ).optional(),
    ...google,
    ...entra,
    warnings,
  })
  .meta({ id: 'Directory', description: 'The connection of one tenant and one product to an identity provider.' });
export type DirectoryBody = z.output<typeof directorySchema>;

/** Shows the secrets to everyone who may create a directory. */
export const createdDirectorySchema = directorySchema
  .extend({
    scim: scim
      .omit({ secret_hint: true })
      .extend({ secret: field(z.string(), 'The bearer token for the identity provider.', 'PfmQx3v0bC0k8m2J') })
      .meta({ description: 'What to configure at the identity provider. All strings are empty for a pulled directory.' }),
    webhook: webhook
      .omit({ secret_hint: true })
      .extend({ secret: field(z.string(), 'The secret that webhooks are signed with.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') })
      .meta({ description: 'Where events are sent.' }),
  })
  .meta({ id: 'CreatedDirectory', description: 'A new directory with its secrets.' });
export type CreatedDirectoryBody = z.output<typeof createdDirectorySchema>;

export const deletedDirectorySchema = z
  .strictObject({
    state: field(z.literal('deleting'), 'The events of its deletion are delivered first. Missing if the directory is gone.').optional(),
  })
  .meta({ id: 'DeletedDirectory', description: 'Empty if the directory is gone.' });

export const rotatedScimSecretSchema = z
  .strictObject({
    secret: field(z.string(), 'The new bearer token for the identity provider.', 'PfmQx3v0bC0k8m2J'),
    expires_at: timeOrNull('When the new secret expires; null: never.'),
    previous_valid_until: timeOrNull('Until when the previous secret stays valid; null: it is no longer valid.'),
  })
  .meta({ id: 'RotatedScimSecret', description: 'A new SCIM secret.' });

const unknownAttribute = z.strictObject({
  name: field(z.string(), 'The attribute as it was sent.', 'actve'),
  suggestion: field(z.string().nullable(), 'A known attribute with a similar name.', 'active'),
});

export const recordedRequestSchema = z
  .strictObject({
    id: id("The record's ID."),
    at: field(z.iso.datetime(), 'When the request arrived.', '2027-11-21T08:43:54.120Z'),
    method: field(z.string(), 'The HTTP method.', 'POST'),
    path: field(z.string(), "The path below the directory's address, with its query.", '/Users?count=1'),
    status: field(z.int(), 'The status of the response.', 201),
    scim_type: field(z.string().nullable(), 'The `scimType` of the error, if there was one.', 'uniqueness'),
    detail: field(z.string().nullable(), 'The `detail` of the error, if there was one.', null),
    duration_ms: field(z.number(), 'How long the request took, in milliseconds.', 14),
    request_id: field(z.string(), 'The `X-Request-Id`, under which the log has the request.', exampleId),
    user_agent: field(z.string(), "The identity provider's `User-Agent`.", 'Okta SCIM Client 1.0.0'),
    content_type: field(z.string(), 'The `Content-Type` of the request.', 'application/scim+json'),
    body: field(z.string().nullable(), 'The body of the request, without passwords.', '{"userName":"ada@acme.example"}'),
    body_state: field(
      z.enum(bodyStates),
      'How much of the body was recorded. `expired`: it is not kept any more, nor are `scim_type`, `user_agent` and `content_type`.',
      'complete',
    ),
    body_bytes: field(count.nullable(), 'The size of the body in bytes, if known.', 312),
    unknown_attributes: z.array(unknownAttribute).meta({
      description:
        'Up to ten attributes in a complete body that no SCIM schema of this service defines. They are stored and have no effect.',
    }),
  })
  .meta({ id: 'RecordedRequest', description: 'A request that the identity provider sent, and its response.' });
export type RecordedRequestBody = z.output<typeof recordedRequestSchema>;

const scimSecret = z.strictObject({
  id: id("The secret's ID. The secret itself is not shown."),
  created_at: timeOrNull('When it was created.'),
  expires_at: timeOrNull('When it expires; null: when it is rotated.'),
  last_used_at: timeOrNull('When it was last used, to the minute.'),
});

const lastError = z.strictObject({
  at: field(z.string(), 'When the request arrived.', '2027-11-21T08:43:54.120Z'),
  method: field(z.string(), 'The HTTP method.', 'POST'),
  path: field(z.string(), "The path below the directory's address.", '/Users'),
  status: field(z.int(), 'The status of the response.', 409),
  detail: field(z.string(), 'The `detail` of the error.', 'A user with this userName exists already.'),
});

const sync = z.strictObject({
  run_id: id("The sync run's ID."),
  state: field(z.string(), "The run's state.", 'succeeded'),
  at: timeOrNull('When the run ended; when it started, if it is in progress.'),
  last_success_at: timeOrNull('When a run last succeeded.'),
  error: field(z.string().nullable(), 'Why the run failed.', null),
});

const deliveryHealth = z.strictObject({
  status: field(z.enum(reportedStatuses), 'The delivery state.', 'active'),
  reason: field(z.string().nullable(), 'Why the delivery is paused, disabled or misconfigured.', null),
  backlog: field(count, 'The number of events that are not delivered yet.', 0),
  last_success_at: timeOrNull('When a webhook was last acknowledged.'),
  ...failingFields,
});

const quota = (description: string, used: number, limit: number) =>
  z.strictObject({ used: field(count, 'The current use.', used), limit: field(count, 'The limit.', limit) }).meta({ description });

const quotas = z
  .strictObject({
    users: quota('Users.', 120, 500_000),
    groups: quota('Groups.', 8, 50_000),
    group_members: z
      .strictObject({
        used: field(count.nullable(), 'The members of the largest group; null in a directory with more than 1,000 groups.', 40),
        limit: field(count, 'The limit.', 100_000),
      })
      .meta({ description: 'Members of one group, pending members included.' }),
    groups_per_member: z
      .strictObject({
        used: field(count.nullable(), 'The highest current use; null in a directory with more than 10,000 memberships.', 6),
        limit: field(count, 'The limit.', 5_000),
      })
      .meta({ description: 'Groups that one user or group is a direct member of.' }),
    memberships: quota('Memberships of all groups together.', 160, 5_000_000),
    resource_bytes: quota('Bytes of all users and groups, as JSON.', 98_304, 4_294_967_296),
    undelivered_bytes: quota('Bytes of undelivered events; without a webhook, of events in the feed.', 2_048, 1_073_741_824),
    history_bytes: quota(
      'Bytes kept of delivered events, of the delivery log and of the results of changes. `used` is for the largest of the three.',
      40_960,
      1_073_741_824,
    ),
    staged_bytes: quota(
      'Bytes that sync runs have read from the provider and not deleted yet. Only for a pulled directory.',
      0,
      4_294_967_296,
    ),
    replays: quota('Replays that are running or queued.', 0, 20),
    searches: quota('Searches without an index that run now, in the process that responds.', 0, 1),
    hourly_changes: quota(
      'Changes that the responding process has accepted within the last hour. Each 64 KiB of a change counts as one more. Missing in library mode.',
      12,
      200_000,
    ).optional(),
  })
  .meta({
    id: 'QuotaUse',
    description:
      "The directory's use of its limits. A request that would exceed a limit fails with 403. Exceptions: changes beyond `undelivered_bytes` fail with 503; replays, searches and hourly changes fail with 429; beyond `history_bytes` the oldest entries are deleted; beyond `staged_bytes` the sync fails.",
  });

const healthFields = {
  status: field(
    z.enum(healthStatuses),
    `The health in one word. If several apply, it is the first of: ${healthStatuses.map((status) => `\`${status}\``).join(', ')}.`,
    'healthy',
  ),
  advice: field(z.string(), 'A sentence that says what to do.', 'Nothing to do.'),
};

export const healthSummarySchema = z
  .strictObject(healthFields)
  .meta({ id: 'HealthSummary', description: 'The health of a directory in one word, and a sentence that says what to do.' });

const healthSchema = z
  .strictObject({
    ...healthFields,
    last_push_at: timeOrNull('When the identity provider last made a change.'),
    last_error: lastError.nullable().meta({ description: 'The last request with a valid secret that failed.' }),
    secret_rejected_at: timeOrNull('When a request last had a wrong SCIM secret.'),
    users: field(count, 'The number of users.', 120),
    groups: field(count, 'The number of groups.', 8),
    users_missing_attributes: field(count, 'How many users lack a required attribute of the product; 10001 means more than 10,000.', 0),
    quotas,
    only_deletions: field(z.string().nullable(), 'Why only deletions are accepted while the disk is low. Null: all changes are.', null),
    scim_secrets: z.array(scimSecret).meta({ description: 'The valid SCIM secrets.' }),
    sync: sync.optional().meta({ description: 'The last sync run of a pulled directory. Missing before the first run.' }),
    delivery: deliveryHealth,
  })
  .meta({ id: 'DirectoryHealth', description: 'The health of a directory.' });
export type HealthBody = z.output<typeof healthSchema>;

export const listedDirectorySchema = directorySchema
  .extend({ health: healthSummarySchema })
  .meta({ id: 'ListedDirectory', description: 'A directory in a list, with its health in one word.' });
export type ListedDirectoryBody = z.output<typeof listedDirectorySchema>;

export const directoryWithHealthSchema = directorySchema
  .extend({
    health: healthSchema,
    temporal_workflows_url: field(
      z.string().optional(),
      "Where Temporal's UI lists the workflows of the directory. Missing if `TEMPORAL_UI_URL` is not set, and for callers that are narrowed or lack a scope.",
      'https://temporal.example/namespaces/default/workflows?query=DirectoryIds%20%3D%20%2201890b5c-9c00-7000-8000-000000000000%22',
    ),
  })
  .meta({ id: 'DirectoryWithHealth', description: 'A directory with its health.' });
