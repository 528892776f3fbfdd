import { z } from 'zod';
import type { UserProfile } from '../../../directory/user.ts';
import { field, id } from './field.ts';

const raw = field(z.record(z.string(), z.unknown()), 'The SCIM resource as pushed, with the id that it was given here.', {
  userName: 'ada@acme.example',
});

export const userAnswer = z
  .strictObject({
    id: id('Its id.'),
    first_name: field(z.string(), 'The given name; empty when there is none.', 'Ada'),
    last_name: field(z.string(), 'The family name; empty when there is none.', 'Lovelace'),
    email: field(z.string(), 'The primary address, else the first one, else the user name.', 'ada@acme.example'),
    active: field(z.boolean(), 'True unless the provider said otherwise.', true),
    raw,
  })
  .meta({ id: 'User', description: 'A user of a directory.' }) satisfies z.ZodType<UserProfile>;
