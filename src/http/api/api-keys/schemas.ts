import { z } from 'zod';
import { scopes } from '../../../access/scopes.ts';
import { exampleId, field, id, timeOrNull } from '../schema-fields.ts';

export const apiKeySchema = z
  .strictObject({
    id: id("The API key's ID."),
    name: field(z.string(), 'What the key is for.', 'Billing service'),
    scopes: field(z.array(z.enum(scopes)), 'What the key may do.', ['people:read', 'events:read']),
    tenant: field(z.string().nullable(), 'The only customer that the key can access; null: all.', 'acme'),
    product: field(z.string().nullable(), 'The only application that the key can access; null: all.', null),
    directory_id: field(z.string().nullable(), 'The only directory that the key can access; null: all.', null),
    allowed_networks: field(z.array(z.string()).nullable(), 'The networks that the key may be used from; null: all.', ['203.0.113.0/24']),
    expires_at: timeOrNull('When the key expires; null: never.'),
    last_used_at: timeOrNull('When the key was last used, to the minute.'),
    created_at: timeOrNull('When the key was created.'),
    created_by: field(z.string(), 'The ID of the key or person that created it. `root_1` is the first key of `API_KEYS`.', exampleId),
    revoked_at: timeOrNull('When the key was revoked; null: it was not.'),
    prefix: field(z.string(), 'The first characters of the key, to recognize it.', 'rcl_7Kq2XvB9'),
  })
  .meta({ id: 'ApiKey', description: 'A key for the JSON API.' });
export type ApiKeyBody = z.output<typeof apiKeySchema>;

export const createdApiKeySchema = apiKeySchema
  .extend({ key: field(z.string(), 'The key. It cannot be read again.', 'rcl_7Kq2XvB9…') })
  .meta({ id: 'CreatedApiKey', description: 'An API key with its value.' });

export const rotatedApiKeySchema = createdApiKeySchema
  .extend({ previous_valid_until: timeOrNull('Until when the previous value stays valid; null: it is no longer valid.') })
  .meta({ id: 'RotatedApiKey', description: 'An API key with its new value.' });
