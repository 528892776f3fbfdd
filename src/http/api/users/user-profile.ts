import { z } from 'zod';
import { field, id } from '../schema-fields.ts';
import type { UserProfile } from '../../../directory/resources/user.ts';

const raw = field(
  z.record(z.string(), z.unknown()),
  "The document as the identity provider pushed or returned it, without passwords and with this service's ID.",
  {
    userName: 'ada@acme.example',
  },
);

/** A user in an event. */
export const userProfileSchema = z
  .strictObject({
    id: id("The user's ID."),
    first_name: field(z.string(), 'The given name; empty if there is none.', 'Ada'),
    last_name: field(z.string(), 'The family name; empty if there is none.', 'Lovelace'),
    email: field(z.string(), 'The primary email address; without one, the first address or the user name.', 'ada@acme.example'),
    active: field(z.boolean(), 'False if the identity provider has deactivated the user.', true),
    role: field(
      z.string().nullable(),
      'The strongest role of the role table of the directory, as the first of `roles`. Null: none. Missing if the directory has no role table.',
      'admin',
    ).optional(),
    roles: field(
      z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
      'The roles by the role table of the directory. Without one, the roles as they were pushed; text with commas as a list. Missing if there are none.',
      ['admin'],
    ).optional(),
    custom_attributes: field(
      z.record(z.string(), z.unknown()),
      'The attributes of the product that have a value. Missing if the product has no attribute schema.',
      { job_title: 'Engineer' },
    ).optional(),
    raw,
  })
  .meta({ id: 'UserProfile', description: 'A user.' }) satisfies z.ZodType<UserProfile>;
