import { z } from 'zod';
import type { UserProfile } from '../../../directory/resources/user.ts';
import { field, id } from '../field.ts';

const raw = field(z.record(z.string(), z.unknown()), "The SCIM resource as it was pushed, with this service's ID.", {
  userName: 'ada@acme.example',
});

export const userSchema = z
  .strictObject({
    id: id("The user's ID."),
    first_name: field(z.string(), 'The given name; empty if there is none.', 'Ada'),
    last_name: field(z.string(), 'The family name; empty if there is none.', 'Lovelace'),
    email: field(z.string(), 'The primary email address; without one, the first address or the user name.', 'ada@acme.example'),
    active: field(z.boolean(), 'False if the identity provider has deactivated the user.', true),
    raw,
  })
  .meta({ id: 'User', description: 'A user of a directory.' }) satisfies z.ZodType<UserProfile>;
