import { z } from 'zod';
import { directoryTypes } from '../../../directory/directories/directory.ts';
import { count, exampleId, field, id, timeOrNull } from '../field.ts';
import { warnings } from '../error-schema.ts';

const google = {
  google_domain: field(z.string(), 'The domain whose users are synced; empty: all domains of the workspace.', 'acme.example').optional(),
  google_access_token: field(z.string(), 'The access token; empty if none was given.').optional(),
  google_refresh_token: field(z.string(), 'The refresh token; empty if none was given.').optional(),
  google_admin_email: field(z.string(), 'The administrator that the service account acts for.', 'admin@acme.example').optional(),
  google_groups: field(z.array(z.string()), 'The groups that are synced; empty: all.', ['team@acme.example']).optional(),
  google_org_units: field(z.array(z.string()), 'The organizational units that are synced; empty: all.', ['/Sales']).optional(),
  google_authorization_url: field(
    z.string(),
    'The address at which an administrator authorizes the directory.',
    'https://sync.example/api/scim/oauth/authorize',
  ).optional(),
  google_authorization: field(
    z.enum(['authorized', 'needs_authorization']),
    'Whether the directory is authorized.',
    'authorized',
  ).optional(),
  google_authorization_error: field(z.string().nullable(), 'Why Google no longer accepts the authorization.', null).optional(),
};

export const directorySchema = z
  .strictObject({
    id: id("The directory's ID."),
    name: field(z.string(), 'A name for people.', 'scim-acme-crm'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    type: field(z.enum(directoryTypes), 'The kind of identity provider.', 'okta-scim-v2'),
    log_webhook_events: field(z.boolean(), 'Whether the full content of each webhook is kept.', false),
    deactivated: field(z.boolean(), 'While true, requests of the identity provider fail with 403.', false),
    scim: z
      .strictObject({
        path: field(z.string(), 'The path of the SCIM address.', `/api/scim/v2.0/${exampleId}`),
        endpoint: field(z.string(), 'The SCIM address.', `https://sync.example/api/scim/v2.0/${exampleId}`),
        secret: field(z.string(), 'The bearer token for the identity provider.', 'PfmQx3v0bC0k8m2J'),
      })
      .meta({ description: 'What to configure at the identity provider. All strings are empty for a `google` directory.' }),
    webhook: z
      .strictObject({
        endpoint: field(z.string(), 'The address that events are sent to; empty: none.', 'https://app.example/hooks'),
        secret: field(z.string(), 'The secret that webhooks are signed with.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
      })
      .meta({ description: 'Where events are sent.' }),
    webhook_legacy_signatures: field(z.literal(true), 'Webhooks also carry the signatures of Ory Polis.', true).optional(),
    ...google,
    warnings,
  })
  .meta({ id: 'Directory', description: 'The connection of one tenant and one product to an identity provider.' });
export type DirectoryBody = z.output<typeof directorySchema>;

export const rotatedScimSecretSchema = z
  .strictObject({
    secret: field(z.string(), 'The new bearer token for the identity provider.', 'PfmQx3v0bC0k8m2J'),
    expires_at: timeOrNull('When the new secret expires; null: never.'),
    previous_valid_until: timeOrNull('Until when the previous secret stays valid; null: it is no longer valid.'),
  })
  .meta({ id: 'RotatedScimSecret', description: 'A new SCIM secret.' });

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
    body_state: field(z.enum(['none', 'complete', 'truncated', 'unread', 'redacted']), 'How much of the body was recorded.', 'complete'),
    body_bytes: field(count.nullable(), 'The size of the body in bytes, if known.', 312),
  })
  .meta({ id: 'RecordedRequest', description: 'A request that the identity provider sent, and its response.' });
export type RecordedRequestBody = z.output<typeof recordedRequestSchema>;
