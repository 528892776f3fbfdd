import { z } from 'zod';
import { field, id, sequence, timeOf } from '../schema-fields.ts';
import { eventReasons } from '../../../directory/event.ts';
import { userProfileSchema } from '../users/user-profile.ts';
import { groupSchema } from '../groups/schemas.ts';

const common = {
  tenant: field(z.string(), 'The customer.', 'acme'),
  product: field(z.string(), 'The application.', 'crm'),
  directory_id: id("The directory's ID."),
  id: id("The event's ID."),
  sequence: field(sequence, 'The position of the event in its directory, without gaps.', 17),
  occurred_at: timeOf('When the change was made.'),
  reason: field(
    z.enum(eventReasons).nullable(),
    'The cause: a request of the identity provider (`scim`), a sync, an import, an erasure, or, of a delivery, a replay. Null after the event body was deleted, and in events from before Rollcall stored it.',
    'scim',
  ),
};
const retention = 'Null after the event body was deleted.';

const unknown = 'Null after the event body was deleted, in announced imports, and in events from before Rollcall stored it.';
const update = {
  changes: field(
    z.array(z.string()).nullable(),
    `Of an update: the names of the attributes of \`data\` that changed. ${unknown}`,
    [],
  ).optional(),
  previous_attributes: field(
    z.record(z.string(), z.unknown()).nullable(),
    `Of an update: the attributes of \`data\` that changed, with their former values; null if there was none. ${unknown}`,
    {},
  ).optional(),
};

const userEvent = z
  .strictObject({
    event: field(
      z.enum(['user.created', 'user.updated', 'user.deleted', 'user.deactivated', 'user.reactivated']),
      'The type of the event.',
      'user.created',
    ),
    data: userProfileSchema.nullable().meta({ description: `The user after the change, or before the deletion. ${retention}` }),
    ...common,
    ...update,
  })
  .meta({ id: 'UserEvent', description: 'A user was created, updated or deleted.' });

const groupEvent = z
  .strictObject({
    event: field(z.enum(['group.created', 'group.updated', 'group.deleted']), 'The type of the event.', 'group.created'),
    data: groupSchema.nullable().meta({ description: `The group after the change, or before the deletion. ${retention}` }),
    ...common,
    ...update,
  })
  .meta({ id: 'GroupEvent', description: 'A group was created, updated or deleted.' });

const membershipEvent = z
  .strictObject({
    event: field(z.enum(['group.user_added', 'group.user_removed']), 'The type of the event.', 'group.user_added'),
    data: userProfileSchema
      .extend({ group: groupSchema })
      .meta({ id: 'UserInGroup', description: 'A user and a group.' })
      .nullable()
      .meta({ description: `The user and the group. ${retention}` }),
    ...common,
  })
  .meta({ id: 'MembershipEvent', description: 'A user was added to a group or removed from it.' });

export const eventSchema = z
  .discriminatedUnion('event', [userEvent, groupEvent, membershipEvent])
  .meta({ id: 'DirectoryEvent', description: 'An event: one change of a directory.' });

export const testEventSchema = z
  .strictObject({
    event: z.literal('webhook.test').meta({ description: 'The type of the event.' }),
    data: z.strictObject({ message: z.string() }).meta({ description: 'A human-readable message.' }),
    tenant: common.tenant,
    product: common.product,
    directory_id: common.directory_id,
    id: common.id,
    occurred_at: timeOf('When the test was sent.'),
  })
  .meta({ id: 'TestEvent', description: 'The event that a webhook test sends. Verify it, acknowledge it, and change nothing.' });

export const eventPageSchema = z
  .strictObject({
    data: z.array(eventSchema),
    error: z.null(),
    list_metadata: z.strictObject({
      after: field(z.string().nullable(), 'The cursor of the next page: send it as `after`.', 'eyJzIjoxN30'),
      has_more: field(z.boolean(), 'Whether more events can be read now.', false),
    }),
  })
  .meta({ id: 'EventPage', description: 'A page of the event feed.' });
