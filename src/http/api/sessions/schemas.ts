import { z } from 'zod';
import { signInMethods } from '../../../access/session-ports.ts';
import { roleNames } from '../../../access/roles.ts';
import { scopes } from '../../../access/scopes.ts';
import { count, exampleId, field, id, timeOf } from '../schema-fields.ts';

export const sessionSchema = z
  .strictObject({
    id: id("The session's ID."),
    actor: z
      .strictObject({
        type: field(
          z.enum(['person', 'api_key', 'root_key']),
          'Whether a person signed in with OpenID Connect, or a key was used.',
          'person',
        ),
        id: field(
          z.string(),
          'As in the audit log: with the issuer and the subject at the OpenID provider, or the ID of the key.',
          'oidc:5d0c3a1f8b7e2964:248289761001',
        ),
        name: field(z.string(), 'The name of the person or of the key.', 'Ada Lovelace'),
      })
      .meta({ description: 'Who is signed in.' }),
    method: field(z.enum(signInMethods), 'How they signed in.', 'oidc'),
    role: field(z.enum(roleNames).nullable(), 'The role; null with a key.', 'operator'),
    scopes: field(z.array(z.enum(scopes)), 'What the session may do.', ['directories:read', 'people:read']),
    tenant: field(z.string().nullable(), 'The only customer that the session can access; null: all.', null),
    product: field(z.string().nullable(), 'The only application that the session can access; null: all.', null),
    directory_id: field(z.string().nullable(), 'The only directory that the session can access; null: all.', null),
    created_at: timeOf('When they signed in.'),
    expires_at: timeOf('When the session ends at the latest.'),
  })
  .meta({ id: 'Session', description: 'A person who is signed in with a browser.' });

export const signInRequest = z
  .object({
    api_key: z
      .string('must be a string')
      .min(1, 'must not be empty')
      .max(500, 'may have at most 500 characters')
      .meta({ description: 'An API key. The session has the rights of the key, and ends with it.', examples: ['rcl_7Kq2XvB9…'] }),
  })
  .meta({ id: 'SignInRequest', description: 'The credentials of a sign-in.' });

export const endedSchema = z
  .strictObject({ ended: field(count, 'The number of sessions that ended.', 3) })
  .meta({ id: 'EndedSessions', description: 'The number of sessions that ended.' });

export const loginLinkSchema = z
  .strictObject({
    url: field(z.string(), 'Opened in a browser, it signs in once.', `https://sync.example/console/login?token=${exampleId}`),
    expires_at: timeOf('When the link expires.'),
  })
  .meta({ id: 'LoginLink', description: 'An address that signs in once.' });
