import { z } from 'zod';
import type { ScimClient } from '../../../directory/scim-clients/ports.ts';
import { warnings } from '../error-schema.ts';
import { exampleId, field, shortText, timeOf, timeOrNull, toTime } from '../schema-fields.ts';

const name = shortText.meta({ description: 'What the client is for.', examples: ['Entra, until 2028'] });

const expiresAt = z.iso
  .datetime({ offset: true, error: 'must be a time like 2027-11-21T08:43:54Z' })
  .transform((given) => new Date(given))
  .refine((at) => at.getTime() > Date.now(), 'must not be past')
  .optional();

export const createScimClientRequest = z
  .object({
    name,
    expires_at: expiresAt.meta({
      description: 'When the client expires, at most three years from now; default: in 365 days.',
      examples: ['2028-11-21T08:43:54Z'],
    }),
  })
  .meta({ id: 'CreateScimClientRequest', description: 'A new OAuth client.', examples: [{ name: 'Entra, until 2028' }] });

export const updateScimClientRequest = z
  .object({
    name: name.optional(),
    expires_at: expiresAt.meta({
      description: 'When the client expires, at most three years from now. Its access tokens expire no later.',
      examples: ['2028-11-21T08:43:54Z'],
    }),
  })
  .meta({ id: 'UpdateScimClientRequest', description: 'The fields to change. All others stay as they are.' });

export const scimClientSchema = z
  .strictObject({
    client_id: field(z.string(), 'The ID that the identity provider sends.', exampleId),
    name: field(z.string(), 'What the client is for.', 'Entra, until 2028'),
    created_at: timeOf('When the client was created.'),
    expires_at: timeOf('When the client expires, and with it its access tokens.'),
    last_used_at: timeOrNull('When the client last got an access token.'),
    revoked_at: timeOrNull('When the client was revoked; null: it was not.'),
    warnings,
  })
  .meta({ id: 'ScimClient', description: 'An OAuth client, with which an identity provider gets access tokens for one directory.' });
export type ScimClientBody = z.output<typeof scimClientSchema>;

export const createdScimClientSchema = scimClientSchema
  .extend({
    client_secret: field(z.string(), 'The secret of the client. It cannot be read again.', 'rcs_Q2xpZW50IHNlY3JldA…'),
    token_endpoint: field(z.string(), 'Where the identity provider gets access tokens.', 'https://sync.example/api/scim/oauth/token'),
  })
  .meta({ id: 'CreatedScimClient', description: 'An OAuth client with its secret.' });

export const presentScimClient = (client: ScimClient): ScimClientBody => ({
  client_id: client.id,
  name: client.name,
  created_at: client.createdAt.toISOString(),
  expires_at: client.expiresAt.toISOString(),
  last_used_at: toTime(client.lastUsedAt),
  revoked_at: toTime(client.revokedAt),
});
