import { z } from 'zod';
import type { DirectorySettings } from '../../../directory/directories/directories.ts';
import { directoryTypes, directoryDeletePolicies, inactiveUserPolicies } from '../../../directory/directories/directory.ts';
import { quotaNames, type Quota, type Quotas } from '../../../directory/quotas.ts';
import { product, tenant } from '../selector.ts';
import { overlapSeconds, secretText, text } from '../schema-fields.ts';

const names = z.array(text.trim().min(1, 'must not be empty').max(500), 'must be a list').max(500, 'may have at most 500 entries');

const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((value) => value === true || value === 'true');

/** A response has null for one that it does not show. */
const token = text.max(4000).nullable().optional();

/** The settings of a directory that is synced from Google Workspace. */
const googleFields = {
  google_domain: text
    .trim()
    .max(253)
    .refine((value) => /^[\p{L}\p{N}.-]*$/u.test(value), 'must be a domain like acme.example')
    .optional()
    .meta({ description: 'Sync only the users of this domain; empty: all.', examples: ['acme.example'] }),
  google_access_token: token.meta({ description: 'An access token that was obtained elsewhere; null: the current one.' }),
  google_refresh_token: token.meta({ description: 'The refresh token that belongs to it; null: the current one.' }),
  google_admin_email: text
    .trim()
    .max(320)
    .refine((value) => value === '' || /^[^\s@]+@[^\s@]+$/.test(value), 'must be an email address')
    .optional()
    .meta({ description: 'The administrator that a service account acts for.', examples: ['admin@acme.example'] }),
  google_service_account_key: text
    .max(10_000)
    .refine((value) => value === '' || isKey(value), 'must be the text of a service account key file, or empty')
    .optional()
    .meta({ description: "The content of the service account's key file; empty: the deployment's own." }),
  google_groups: names
    .optional()
    .meta({ description: 'Sync only these groups, by address or ID; empty: all.', examples: [['team@acme.example']] }),
  google_org_units: names
    .refine((paths) => paths.every((path) => path.startsWith('/')), 'must be paths that begin with /, like /Sales')
    .optional()
    .meta({ description: 'Sync only these organizational units and those below them; empty: all.', examples: [['/Sales']] }),
};

/** The settings of a directory that is read from Microsoft Entra ID by Graph. */
const entraFields = {
  entra_tenant_id: text
    .trim()
    .toLowerCase()
    .refine(
      (value) => value === '' || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
      'must be the ID of a tenant: a UUID, and no domain',
    )
    .optional()
    .meta({
      description: 'The ID of the Entra tenant; empty: the tenant whose administrator gives consent.',
      examples: ['5f0a8f5e-0f3c-4a39-8d7a-4a2b6f1f6f10'],
    }),
  entra_groups: z
    .array(
      text
        .trim()
        .toLowerCase()
        .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be the ID of a group: a UUID'),
      'must be a list',
    )
    .max(500, 'may have at most 500 entries')
    .transform((ids) => [...new Set(ids)])
    .optional()
    .meta({
      description: 'Sync only these groups, by ID, with the groups and users in them at any depth; empty: all.',
      examples: [['0c1b6a0e-3a8f-4a52-9c39-6d6b5f5b3b0a']],
    }),
  entra_assigned_only: flag
    .optional()
    .meta({ description: 'Sync only the users and groups that are assigned to the enterprise application.', examples: [false] }),
};

function isKey(value: string): boolean {
  try {
    const key = JSON.parse(value) as Record<string, unknown> | null;
    return typeof key?.['client_email'] === 'string' && typeof key['private_key'] === 'string';
  } catch {
    return false;
  }
}

/** Polis takes null for what is not set. */
const emptyIfNull = (value: string | null) => value ?? '';

export const webhookUrl = text
  .trim()
  .max(2000, 'may have at most 2000 characters')
  .refine(
    (value) => value === '' || isWebhookUrl(value),
    'must be an http or https address like https://app.example/hooks, without a user name or password, and with a port below 65536 if any',
  );

const quotaLimit = z.int('must be a whole number').min(0, 'must not be negative').optional();
const quotas = z
  .object(
    Object.fromEntries(
      Object.values(quotaNames).map(({ field, text: what }) => [field, quotaLimit.meta({ description: `The maximum of ${what}.` })]),
    ),
    'must be an object',
  )
  .meta({
    id: 'Quotas',
    description: 'The limits of one directory. The defaults are those of the deployment.',
    examples: [{ users: 1000 }],
  });

const settings = {
  name: text
    .trim()
    .max(200, 'may have at most 200 characters')
    .nullable()
    .transform(emptyIfNull)
    .optional()
    .meta({ description: 'Display name; empty or null: `scim-<tenant>-<product>`.', examples: ['Acme in the CRM'] }),
  log_webhook_events: flag
    .optional()
    .meta({ description: 'Whether event bodies are kept after delivery, so that they can be read and replayed.', examples: [true] }),
  user_state_events: flag
    .optional()
    .meta({ description: 'Whether a change of `active` is `user.deactivated` or `user.reactivated`.', examples: [true] }),
  inactive_users: z
    .enum(inactiveUserPolicies, `must be one of ${inactiveUserPolicies.join(', ')}`)
    .optional()
    .meta({
      description:
        'With `delete`, a deactivation emits `user.deleted` and a reactivation `user.created`; default: `keep`. A change that would send events fails with `confirmation_required`.',
      examples: ['delete'],
    }),
  on_directory_delete: z
    .enum(directoryDeletePolicies, `must be one of ${directoryDeletePolicies.join(', ')}`)
    .optional()
    .meta({
      description:
        'With `events`, the deletion of the directory emits the removals of all users and groups first, and they are delivered before it is gone; default: `silent`.',
      examples: ['events'],
    }),
  deactivated: flag.optional().meta({ description: 'While true, requests of the identity provider fail with 403.', examples: [false] }),
  accept_scim_secret: flag.optional().meta({
    description: 'Whether the SCIM secret is accepted beside access tokens of OAuth clients. Without it, only access tokens are.',
    examples: [true],
  }),
  webhook_url: webhookUrl
    .nullable()
    .transform(emptyIfNull)
    .optional()
    .meta({
      description: 'The address of the webhook; empty or null removes the webhook.',
      examples: ['https://app.example/hooks'],
    }),
  webhook_secret: secretText.nullable().optional().meta({
    description: 'The secret that webhooks are signed with; default, empty and null: the current one, or a new one.',
  }),
  webhook: z
    .object(
      { endpoint: webhookUrl.nullable().transform(emptyIfNull).optional(), secret: secretText.nullable().optional() },
      'must be an object',
    )
    .nullable()
    .optional()
    .meta({ description: 'The same two values as in a response, so that a directory can be sent back as it was read.' }),
  webhook_legacy_signatures: flag
    .nullable()
    .optional()
    .meta({
      description: 'Whether webhooks also carry the signatures of Ory Polis; default and null: `WEBHOOK_LEGACY_SIGNATURES`.',
      examples: [false],
    }),
  quotas: quotas.nullable().optional().meta({
    description: "Limits of this directory, in place of the deployment's. The object replaces the previous one; null removes all.",
  }),
  ...googleFields,
  ...entraFields,
};

export const createDirectoryRequest = z
  .object({
    tenant,
    product,
    type: z
      .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
      .meta({ description: 'The kind of identity provider.', examples: ['okta-scim-v2'] })
      .default('generic-scim-v2'),
    ...settings,
  })
  .meta({
    id: 'CreateDirectoryRequest',
    description: 'A new directory. Unknown fields are ignored, and named in `warnings` of the response.',
  });

const fixed = text.optional().meta({ description: 'Cannot be changed. The current value is accepted.' });
const confirm = z
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .optional()
  .meta({
    description: 'How many events a change of `inactive_users` may send: the `confirm` of its error `confirmation_required`.',
    examples: [412],
  });
const includeSecrets = flag.optional().meta({
  description: 'With `false`, the response has no secret but that of a webhook which is new; default: true. It changes nothing.',
  examples: [false],
});
export const updateDirectoryRequest = z
  .object({ ...settings, confirm, tenant: fixed, product: fixed, type: fixed, include_secrets: includeSecrets })
  .meta({
    id: 'UpdateDirectoryRequest',
    description: 'The fields to change. All others stay as they are. Unknown fields are ignored, and named in `warnings` of the response.',
  });

type SettingsRequest = Omit<z.output<typeof updateDirectoryRequest>, 'tenant' | 'product' | 'type' | 'include_secrets'>;

/** Fields that were not given are left out. */
export function toDirectorySettings(request: SettingsRequest): DirectorySettings {
  const { webhook, quotas: limits } = request;
  return withoutUndefined({
    name: request.name,
    deactivated: request.deactivated,
    acceptsScimSecret: request.accept_scim_secret,
    logWebhookEvents: request.log_webhook_events,
    userStateEvents: request.user_state_events,
    inactiveUsers: request.inactive_users,
    onDirectoryDelete: request.on_directory_delete,
    confirmedEvents: request.confirm,
    webhookUrl: request.webhook_url ?? webhook?.endpoint,
    webhookSecret: request.webhook_secret ?? webhook?.secret ?? undefined,
    legacySignatures: request.webhook_legacy_signatures,
    quotas: limits && toQuotas(limits),
    connections: {
      google: withoutUndefined({
        domain: request.google_domain,
        accessToken: request.google_access_token ?? undefined,
        refreshToken: request.google_refresh_token ?? undefined,
        adminEmail: request.google_admin_email,
        serviceAccountKey: request.google_service_account_key,
        groups: request.google_groups,
        orgUnits: request.google_org_units,
      }),
      entra: withoutUndefined({
        account: request.entra_tenant_id,
        groups: request.entra_groups,
        assignedOnly: request.entra_assigned_only,
      }),
    },
  });
}

const toQuotas = (given: Record<string, number | undefined>) =>
  withoutUndefined(
    Object.fromEntries(Object.entries(quotaNames).map(([quota, { field }]) => [quota, given[field]])) as Record<Quota, number | undefined>,
  ) as Partial<Quotas>;

type Defined<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> };

const withoutUndefined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<Value>;

export const rotateScimSecretRequest = z
  .object({
    secret: secretText
      .min(16, 'must have at least 16 characters; leave it out to have one created')
      .refine((given) => /^[\x21-\x7e]+$/.test(given), 'must be letters, digits and signs without spaces: it travels in a header')
      .optional()
      .meta({ description: 'The new secret; default: a random one.' }),
    overlap_seconds: overlapSeconds(30, 'thirty').meta({
      description: 'How long the previous secret stays valid, in seconds; 0: not at all.',
      examples: [86_400],
    }),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a time like 2027-11-21T08:43:54Z' })
      .transform((given) => new Date(given))
      .refine((at) => at.getTime() > Date.now(), 'must not be past')
      .optional()
      .meta({
        description: 'When the new secret expires; default: when it is rotated.',
        examples: ['2028-11-21T08:43:54Z'],
      }),
  })
  .meta({ id: 'RotateScimSecretRequest', description: 'How to rotate a SCIM secret.' });

function isWebhookUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, hostname } = new URL(value);
  return /^https?:$/.test(protocol) && hostname !== '' && username === '' && password === '';
}
