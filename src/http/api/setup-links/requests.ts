import { z } from 'zod';
import { directoryTypes } from '../../../directory/directories/directory.ts';
import { maxRoleLength } from '../../../directory/roles/role-table.ts';
import { maxOfferedRoles } from '../../../directory/setup-links/setup-roles.ts';
import type { SetupLinkRequest } from '../../../directory/setup-links/setup-links.ts';
import { AppError } from '../../../errors.ts';
import { webhookUrl } from '../directories/requests.ts';
import { secretText, text } from '../schema-fields.ts';

const dayMs = 86_400_000;
const maxDays = 365;
const minTtlMs = 60_000;

const owner = text
  .trim()
  .max(200, 'may have at most 200 characters')
  .refine((value) => !value.includes(':'), 'must not contain the character “:”')
  .optional();
const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false')
  .transform((value) => value === true || value === 'true')
  .optional();

/** The page of the link shows the name of the application, so the address that it leads to must be safe. */
function isReturnUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLoopback)) && `${username}${password}` === '';
}

export const createSetupLinkRequest = z
  .object({
    tenant: owner.meta({ description: 'The customer. Required.', examples: ['acme'] }),
    product: owner.meta({ description: 'The application. Required.', examples: ['crm'] }),
    webhook_url: webhookUrl.optional().meta({
      description: 'The webhook address of the new directory. Required.',
      examples: ['https://app.example/hooks'],
    }),
    webhook_secret: secretText.optional().meta({
      description: 'The secret that signs its webhooks. Required.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
    name: text
      .trim()
      .max(200, 'may have at most 200 characters')
      .optional()
      .meta({ description: 'The name of the new directory; default: `scim-<tenant>-<product>`.', examples: ['Acme in the CRM'] }),
    expiryDays: z
      .number('must be a number of days')
      .max(maxDays, `may be at most ${maxDays}`)
      .optional()
      .meta({
        description: 'How many days the link works, at least a minute; 0 or less: the default, `SETUP_LINK_EXPIRY_DAYS`.',
        examples: [3],
      }),
    regenerate: flag.meta({
      description: 'Whether to create a new link even if there is a valid one, which then no longer works.',
      examples: [false],
    }),
    provider: z
      .enum(directoryTypes, `must be one of ${directoryTypes.join(', ')}`)
      .optional()
      .meta({ description: 'The only identity provider that the link offers; default: all.', examples: ['okta-scim-v2'] }),
    return_url: text
      .trim()
      .max(2000, 'may have at most 2000 characters')
      .refine(
        isReturnUrl,
        'must be an https address like https://app.example/settings, or http on this machine, without a user name or password',
      )
      .optional()
      .meta({ description: 'Where the administrator goes at the end.', examples: ['https://app.example/settings'] }),
    revoke_on_completion: flag.meta({ description: 'Whether the link ends when the administrator has finished.', examples: [true] }),
    roles: z
      .array(text.trim().min(1, 'must not be empty').max(maxRoleLength, `may have at most ${maxRoleLength} characters`), 'must be a list')
      .max(maxOfferedRoles, `may have at most ${maxOfferedRoles} entries`)
      .refine((roles) => new Set(roles).size === roles.length, 'must not have an entry twice')
      .optional()
      .meta({
        description: 'The roles that the administrator may give to groups, strongest first; default: none, and the pages do not offer it.',
        examples: [['admin', 'member']],
      }),
    admin_emails: z
      .array(
        text
          .trim()
          .max(320, 'may have at most 320 characters')
          .refine((value) => /^[^\s@]+@[^\s@]+$/.test(value), 'must be email addresses'),
        'must be a list',
      )
      .max(20, 'may have at most 20 entries')
      .optional()
      .meta({
        description: 'The people to whom you send the link, for your own records: Rollcall sends no email.',
        examples: [['ada@acme.example']],
      }),
  })
  .meta({
    id: 'CreateSetupLinkRequest',
    description: 'A new setup link.',
    examples: [
      {
        tenant: 'acme',
        product: 'crm',
        webhook_url: 'https://app.example/hooks',
        webhook_secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        return_url: 'https://app.example/settings',
      },
    ],
  });

/** Missing fields have the messages of Polis. */
export function toSetupLinkRequest(request: z.output<typeof createSetupLinkRequest>): SetupLinkRequest {
  const { tenant, product, webhook_url: url, webhook_secret: secret, expiryDays = 0 } = request;
  if (!tenant || !product)
    throw new AppError('invalid_request', 'Must provide tenant and product', { field: tenant ? 'product' : 'tenant' });
  if (!url || !secret)
    throw new AppError('invalid_request', 'Must provide webhook_url and webhook_secret', { field: url ? 'webhook_secret' : 'webhook_url' });
  return {
    tenant,
    product,
    webhookUrl: url,
    webhookSecret: secret,
    name: request.name || undefined,
    ttlMs: expiryDays > 0 ? Math.max(minTtlMs, Math.round(expiryDays * dayMs)) : undefined,
    regenerate: request.regenerate ?? false,
    provider: request.provider,
    returnUrl: request.return_url,
    revokeOnCompletion: request.revoke_on_completion ?? false,
    roles: request.roles ?? [],
    adminEmails: request.admin_emails ?? [],
  };
}

export const selectSetupLink = z.object({
  id: text
    .max(100, 'may have at most 100 characters')
    .optional()
    .meta({ description: "The link's `setupID`.", examples: ['5b1f0f2f3c1d7a0e9b8c7d6e5f4a3b2c1d0e9f8a'] }),
  tenant: owner.meta({ description: 'The customer.', examples: ['acme'] }),
  product: owner.meta({ description: 'The application.', examples: ['crm'] }),
});
