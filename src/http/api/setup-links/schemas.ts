import { z } from 'zod';
import { directoryTypes } from '../../../directory/directories/directory.ts';
import type { SetupLink } from '../../../directory/setup-links/setup-link.ts';
import { field, timeOf, timeOrNull, toTime } from '../schema-fields.ts';

const address = 'https://sync.example/setup/6f1ed002ab5595859014ebf0951522d96f1ed002ab559585';

export const setupLinkSchema = z
  .strictObject({
    setupID: field(z.string(), 'The ID: the RIPEMD-160 of tenant, product and service.', '5b1f0f2f3c1d7a0e9b8c7d6e5f4a3b2c1d0e9f8a'),
    tenant: field(z.string(), 'The customer.', 'acme'),
    product: field(z.string(), 'The application.', 'crm'),
    service: field(z.literal('dsync'), 'What is set up.', 'dsync'),
    name: field(z.string(), 'The name of the new directory, if one was given.', 'Acme in the CRM').optional(),
    validTill: field(z.int(), 'When the link ends, in milliseconds since 1970.', 1_826_786_634_120),
    url: field(
      z.string().nullable(),
      'The address for the customer’s administrator. Anyone who has it can set up the directory. Null if secrets are shown only once, or if the link has more rights than the API key.',
      address,
    ),
    webhook_url: field(z.string(), 'The webhook address of the new directory.', 'https://app.example/hooks'),
    webhook_secret: field(
      z.string().nullable(),
      'The secret that signs its webhooks. Null unless secrets are shown to the API key.',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    ),
    provider: field(z.enum(directoryTypes).nullable(), 'The only identity provider that the link offers; null: all.', 'okta-scim-v2'),
    return_url: field(z.string().nullable(), 'Where the administrator goes at the end.', 'https://app.example/settings'),
    revoke_on_completion: field(z.boolean(), 'Whether the link ends when the administrator has finished.', true),
    roles: field(z.array(z.string()), 'The roles that the administrator may give to groups, strongest first.', ['admin', 'member']),
    admin_emails: field(z.array(z.string()), 'The people to whom you send the link.', ['ada@acme.example']),
    created_at: timeOf('When the link was created.'),
    opened_at: timeOrNull('When it was first opened.'),
    completed_at: timeOrNull('When the administrator finished.'),
  })
  .meta({ id: 'SetupLink', description: 'A setup link of a tenant and product.' });

export type SetupLinkBody = z.output<typeof setupLinkSchema>;

export const presentSetupLink = (link: SetupLink, baseUrl: string, shown: { url: boolean; secret: boolean }): SetupLinkBody => ({
  setupID: link.id,
  tenant: link.tenant,
  product: link.product,
  service: 'dsync',
  ...(link.name !== undefined && { name: link.name }),
  validTill: link.expiresAt.getTime(),
  url: shown.url ? `${baseUrl}/setup/${link.token}` : null,
  webhook_url: link.webhookUrl,
  webhook_secret: shown.secret ? link.webhookSecret : null,
  provider: link.provider ?? null,
  return_url: link.returnUrl ?? null,
  revoke_on_completion: link.revokeOnCompletion,
  roles: link.roles,
  admin_emails: link.adminEmails,
  created_at: link.createdAt.toISOString(),
  opened_at: toTime(link.openedAt),
  completed_at: toTime(link.completedAt),
});
