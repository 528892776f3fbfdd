import { z } from 'zod';
import type { GroupProfile } from '../../../directory/group.ts';
import { field, id } from './field.ts';

const name = field(z.string(), 'Its name.', 'Engineering');

export const groupAnswer = z
  .strictObject({
    id: id('Its id.'),
    name,
    raw: field(z.record(z.string(), z.unknown()), 'The SCIM resource as pushed, with the id that it was given here.', {
      displayName: 'Engineering',
    }),
  })
  .meta({ id: 'Group', description: 'A group of a directory, without its members.' }) satisfies z.ZodType<GroupProfile>;

export const wholeGroup = groupAnswer
  .extend({
    members: z.array(z.strictObject({ group_id: id('The group.'), user_id: id('The user.') })).meta({ description: 'The users in it.' }),
  })
  .meta({ id: 'GroupWithMembers', description: 'A group of a directory, with its members.' });

export const memberAnswer = z.strictObject({ user_id: id('The user.') }).meta({ id: 'Member', description: 'A user in a group.' });

export const nestedGroup = z
  .strictObject({ id: id('The group in it.'), name })
  .meta({ id: 'NestedGroup', description: 'A group in a group.' });
