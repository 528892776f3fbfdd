import { z } from 'zod';
import type { GroupProfile } from '../../../directory/resources/group.ts';
import { field, id } from '../field.ts';

const name = field(z.string(), "The group's name.", 'Engineering');

export const groupSchema = z
  .strictObject({
    id: id("The group's ID."),
    name,
    raw: field(z.record(z.string(), z.unknown()), "The SCIM resource as it was pushed, with this service's ID.", {
      displayName: 'Engineering',
    }),
  })
  .meta({ id: 'Group', description: 'A group of a directory, without its members.' }) satisfies z.ZodType<GroupProfile>;

export const groupWithMembersSchema = groupSchema
  .extend({
    members: z
      .array(z.strictObject({ group_id: id("The group's ID."), user_id: id("The user's ID.") }))
      .meta({ description: 'The users in the group.' }),
  })
  .meta({ id: 'GroupWithMembers', description: 'A group of a directory, with its members.' });

export const memberSchema = z.strictObject({ user_id: id("The user's ID.") }).meta({ id: 'Member', description: 'A user in a group.' });

export const nestedGroupSchema = z
  .strictObject({ id: id("The nested group's ID."), name })
  .meta({ id: 'NestedGroup', description: 'A group that is a member of another group.' });
