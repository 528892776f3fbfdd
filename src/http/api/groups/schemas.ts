import { z } from 'zod';
import { pageBody } from '../cursor.ts';
import { count, field, id, timeOf } from '../schema-fields.ts';
import type { GroupProfile } from '../../../directory/resources/group.ts';

const name = field(z.string(), "The group's name.", 'Engineering');

export const groupSchema = z
  .strictObject({
    id: id("The group's ID."),
    name,
    raw: field(
      z.record(z.string(), z.unknown()),
      "The document as the identity provider pushed or returned it, with this service's ID and without members.",
      {
        displayName: 'Engineering',
      },
    ),
  })
  .meta({ id: 'Group', description: 'A group of a directory, without its members.' }) satisfies z.ZodType<GroupProfile>;

/** What the API says of a group besides the profile that events have. */
const listedGroupSchema = groupSchema
  .extend({
    idp_id: field(z.string().nullable(), "The identity provider's ID (`externalId`); null if it sent none.", '00g1abcd'),
    member_count: field(count, 'The number of users and groups that are direct members.', 3),
    created_at: timeOf('When the group was created.'),
    updated_at: timeOf('When the group or its members last changed.'),
  })
  .meta({ id: 'ListedGroup', description: 'A group of a directory, with the number of its members.' });

export const groupPageSchema = pageBody(listedGroupSchema, 'GroupPage', 'groups');

export const groupReferenceSchema = z
  .strictObject({ id: id("The group's ID."), name })
  .meta({ id: 'GroupReference', description: 'A group.' });

export const groupWithMembersSchema = listedGroupSchema
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
