import { z } from 'zod';
import { directoryTypes } from '../../../directory/directory.ts';
import { count, exampleId, field, id, time, timeOrNull } from './field.ts';
import { warnings } from './warning.ts';

const google = {
  google_domain: field(z.string(), 'The domain whose users are read; empty: the whole of the customer.', 'acme.example').optional(),
  google_access_token: field(z.string(), 'The access token, if one was given.').optional(),
  google_refresh_token: field(z.string(), 'The refresh token, if one was given.').optional(),
  google_admin_email: field(z.string(), 'In whose name a service account reads.', 'admin@acme.example').optional(),
  google_groups: field(z.array(z.string()), 'The groups that are read; empty: all.', ['team@acme.example']).optional(),
  google_org_units: field(z.array(z.string()), 'The organisational units that are read; empty: all.', ['/Sales']).optional(),
  google_authorization_url: field(
    z.string(),
    'Where an administrator authorises it.',
    'https://sync.example/api/scim/oauth/authorize',
  ).optional(),
  google_authorization: field(z.enum(['authorized', 'needs_authorization']), 'Whether it may be read.', 'authorized').optional(),
  google_authorization_error: field(z.string().nullable(), 'Why the provider lets us in no more.').optional(),
};

export const directoryAnswer = z
  .strictObject({
    id: id('Its id.'),
    name: field(z.string(), 'A name for people.', 'scim-acme-crm'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    type: field(z.enum(directoryTypes), 'The kind of identity provider.', 'okta-scim-v2'),
    log_webhook_events: field(z.boolean(), 'Whether everything of each webhook is kept.', false),
    deactivated: field(z.boolean(), 'While true, the provider gets 403.', false),
    scim: z
      .strictObject({
        path: field(z.string(), 'The path of its SCIM address.', `/api/scim/v2.0/${exampleId}`),
        endpoint: field(z.string(), 'Its SCIM address.', `https://sync.example/api/scim/v2.0/${exampleId}`),
        secret: field(z.string(), 'The bearer token of the provider.', 'PfmQx3v0bC0k8m2J'),
      })
      .meta({ description: 'What the provider is given. Its texts are empty for a google directory.' }),
    webhook: z
      .strictObject({
        endpoint: field(z.string(), 'Where events go; empty: nowhere.', 'https://app.example/hooks'),
        secret: field(z.string(), 'What webhooks are signed with.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      })
      .meta({ description: 'Where events go.' }),
    webhook_legacy_signatures: field(z.literal(true), "Webhooks carry the ancestor's signatures too.", true).optional(),
    ...google,
    warnings,
  })
  .meta({ id: 'Directory', description: 'One connection of one tenant and one product to an identity provider.' });
export type DirectoryAnswer = z.output<typeof directoryAnswer>;

const scimSecret = z.strictObject({
  id: id('Its id; the secret itself is not shown.'),
  created_at: timeOrNull('When it was made.'),
  expires_at: timeOrNull('Until when it is valid; null: as long as it is not rotated.'),
  last_used_at: timeOrNull('When it was last used, to the minute.'),
});

const refusal = z.strictObject({
  at: field(z.string(), 'When.', '2027-11-21T08:43:54.120Z'),
  method: field(z.string(), 'The method.', 'POST'),
  path: field(z.string(), "The path below the directory's address.", '/Users'),
  status: field(z.int(), 'The status that was answered.', 409),
  detail: field(z.string(), 'What the provider was told.', 'A user with this userName exists already.'),
});

const sync = z.strictObject({
  run_id: id('The run.'),
  state: field(z.string(), 'Its state.', 'succeeded'),
  at: timeOrNull('When it ended, or else began.'),
  last_success_at: timeOrNull('When a run last succeeded.'),
  error: field(z.string().nullable(), 'Why it failed.'),
});

const deliveryHealth = z.strictObject({
  status: field(z.enum(['enabled', 'paused', 'disabled', 'misconfigured', 'no_webhook']), 'How the delivery stands.', 'enabled'),
  reason: field(z.string().nullable(), 'Why it rests, if it does.'),
  backlog: field(count, 'Events that wait.', 0),
  last_success_at: timeOrNull('When a webhook was last taken.'),
});

const quota = (description: string, used: number, limit: number) =>
  z
    .strictObject({ used: field(count, 'How much is used.', used), limit: field(count, 'How much may be used.', limit) })
    .meta({ description });

const quotas = z
  .strictObject({
    users: quota('Users.', 120, 500_000),
    groups: quota('Groups.', 8, 50_000),
    group_members: quota('Members of one group: `used` is those of the largest one, pending members included.', 40, 100_000),
    groups_per_member: z
      .strictObject({
        used: field(count.nullable(), 'The groups of the one that is in most; null in a directory with more than 500,000 memberships.', 6),
        limit: field(count, 'How much may be used.', 5_000),
      })
      .meta({ description: 'Groups that one user or group is a direct member of.' }),
    memberships: quota('Memberships of all groups together.', 160, 5_000_000),
    resource_bytes: quota('Bytes of all users and groups, as JSON.', 98_304, 4_294_967_296),
    undelivered_bytes: quota(
      'Bytes of undelivered events; without a webhook, of the events that wait to be fetched.',
      2_048,
      1_073_741_824,
    ),
    history_bytes: quota(
      'Bytes that are kept of delivered events, of the delivery log and of the outcomes of changes: `used` is the largest of the three.',
      40_960,
      1_073_741_824,
    ),
    replays: quota('Replays that are running or queued.', 0, 20),
    searches: quota('Searches that no index serves and that run now, in the process that responds.', 0, 1),
    hourly_changes: quota(
      'Changes of the last hour that the process which responds has accepted; missing in library mode.',
      12,
      200_000,
    ).optional(),
  })
  .meta({
    id: 'QuotaUse',
    description:
      'How much of its limits the directory uses. What would exceed one gets 403; changes beyond `undelivered_bytes` get 503, replays, searches and changes of an hour beyond theirs get 429, and beyond `history_bytes` the oldest is dropped.',
  });

const healthAnswer = z
  .strictObject({
    last_push_at: timeOrNull('When the provider last pushed.'),
    last_refusal: refusal.nullable().meta({ description: 'The last request with a valid secret that was refused.' }),
    users: field(count, 'How many users there are.', 120),
    groups: field(count, 'How many groups there are.', 8),
    quotas,
    scim_secrets: z.array(scimSecret).meta({ description: 'Those that are valid.' }),
    sync: sync.optional().meta({ description: 'Of a google directory, once there was a run: the last one.' }),
    delivery: deliveryHealth,
  })
  .meta({ id: 'DirectoryHealth', description: 'Whether a directory is well.' });
export type HealthAnswer = z.output<typeof healthAnswer>;

export const directoryWithHealth = directoryAnswer
  .extend({ health: healthAnswer })
  .meta({ id: 'DirectoryWithHealth', description: 'A directory, and whether it is well.' });

export const rotatedScimSecret = z
  .strictObject({
    secret: field(z.string(), 'The new bearer token of the provider.', 'PfmQx3v0bC0k8m2J'),
    expires_at: timeOrNull('Until when it is valid; null: as long as it is not rotated.'),
    previous_valid_until: timeOrNull('Until when the former one stays valid; null: it is so no more.'),
  })
  .meta({ id: 'RotatedScimSecret', description: 'A new SCIM secret.' });

export const recordedRequestAnswer = z
  .strictObject({
    id: id('Its id.'),
    at: field(time, 'When it came.', '2027-11-21T08:43:54.120Z'),
    method: field(z.string(), 'The method.', 'POST'),
    path: field(z.string(), "The path below the directory's address, with its query.", '/Users?count=1'),
    status: field(z.int(), 'The status that was answered.', 201),
    scim_type: field(z.string().nullable(), "SCIM's word for what was wrong.", 'uniqueness'),
    detail: field(z.string().nullable(), 'What the provider was told, if it was refused.'),
    duration_ms: field(z.number(), 'How long it took.', 14),
    request_id: field(z.string(), 'The id under which the log tells of it.', exampleId),
    user_agent: field(z.string(), 'What the provider calls itself.', 'Okta SCIM Client 1.0.0'),
    content_type: field(z.string(), 'The type of its body.', 'application/scim+json'),
    body: field(z.string().nullable(), 'What was sent, without passwords.'),
    body_state: field(z.enum(['none', 'whole', 'cut', 'unread', 'withheld']), 'How much of the body is here.', 'whole'),
    body_bytes: field(count.nullable(), 'How long the body was, where that is known.', 312),
  })
  .meta({ id: 'RecordedRequest', description: 'A request as the provider sent it, and what it was answered.' });
export type RecordedRequestAnswer = z.output<typeof recordedRequestAnswer>;
