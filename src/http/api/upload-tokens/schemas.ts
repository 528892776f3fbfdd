import { z } from 'zod';
import type { UploadToken } from '../../../directory/upload-tokens/ports.ts';
import { exampleId, field, shortText, timeOf, timeOrNull, toTime } from '../schema-fields.ts';

export const createUploadTokenRequest = z
  .object({
    name: shortText.meta({ description: 'What the token is for.', examples: ['HR export, nightly'] }),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a time like 2027-11-21T08:43:54Z' })
      .transform((given) => new Date(given))
      .refine((at) => at.getTime() > Date.now(), 'must not be past')
      .optional()
      .meta({
        description: 'When the token expires, at most three years from now; default: in 365 days.',
        examples: ['2028-11-21T08:43:54Z'],
      }),
  })
  .meta({ id: 'CreateUploadTokenRequest', description: 'A new upload token.', examples: [{ name: 'HR export, nightly' }] });

export const uploadTokenSchema = z
  .strictObject({
    id: field(z.string(), "The token's ID.", exampleId),
    name: field(z.string(), 'What the token is for.', 'HR export, nightly'),
    created_at: timeOf('When the token was created.'),
    expires_at: timeOf('When the token expires.'),
    last_used_at: timeOrNull('When the token was last used, to the minute; null: never.'),
    revoked_at: timeOrNull('When the token was revoked; null: it was not.'),
  })
  .meta({ id: 'UploadToken', description: 'A token with which a job uploads the files of one directory, and does nothing else.' });

export const createdUploadTokenSchema = uploadTokenSchema
  .extend({
    token: field(z.string(), 'The value of the token. It cannot be read again.', 'rcu_Q2xpZW50IHNlY3JldA…'),
    upload_endpoint: field(z.string(), 'Where the files are uploaded.', `https://sync.example/api/v1/directory-sync/${exampleId}/files`),
  })
  .meta({ id: 'CreatedUploadToken', description: 'An upload token with its value.' });

export const presentUploadToken = (token: UploadToken): z.output<typeof uploadTokenSchema> => ({
  id: token.id,
  name: token.name,
  created_at: token.createdAt.toISOString(),
  expires_at: token.expiresAt.toISOString(),
  last_used_at: toTime(token.lastUsedAt),
  revoked_at: toTime(token.revokedAt),
});
