import { z } from 'zod';
import { field, id, sequence, timeOf } from './field.ts';
import { groupAnswer } from './group.ts';
import { userAnswer } from './user.ts';

const common = {
  tenant: field(z.string(), 'The customer.', 'acme'),
  product: field(z.string(), 'The application.', 'crm'),
  directory_id: id('The directory.'),
  id: id('The event.'),
  sequence: field(sequence, 'Its place in its directory, without gaps.', 17),
  occurred_at: timeOf('When it happened.'),
};
const forgotten = 'Null when the content is no longer kept.';

const userEvent = z
  .strictObject({
    event: field(z.enum(['user.created', 'user.updated', 'user.deleted']), 'What happened.', 'user.created'),
    data: userAnswer.nullable().meta({ description: `The user after the change, or before the deletion. ${forgotten}` }),
    ...common,
  })
  .meta({ id: 'UserEvent', description: 'Somebody joined, changed or left.' });

const groupEvent = z
  .strictObject({
    event: field(z.enum(['group.created', 'group.updated', 'group.deleted']), 'What happened.', 'group.created'),
    data: groupAnswer.nullable().meta({ description: `The group after the change, or before the deletion. ${forgotten}` }),
    ...common,
  })
  .meta({ id: 'GroupEvent', description: 'A group was made, changed or taken away.' });

const membershipEvent = z
  .strictObject({
    event: field(z.enum(['group.user_added', 'group.user_removed']), 'What happened.', 'group.user_added'),
    data: userAnswer
      .extend({ group: groupAnswer })
      .meta({ id: 'UserInGroup', description: 'A user, and the group that it is about.' })
      .nullable()
      .meta({ description: `The user, with the group. ${forgotten}` }),
    ...common,
  })
  .meta({ id: 'MembershipEvent', description: 'Somebody came into a group or left it.' });

export const eventAnswer = z
  .discriminatedUnion('event', [userEvent, groupEvent, membershipEvent])
  .meta({ id: 'DirectoryEvent', description: 'A change as the application is told it.' });

export const testEvent = z
  .strictObject({
    event: z.literal('webhook.test').meta({ description: 'That it is a test.' }),
    data: z.strictObject({ message: z.string() }).meta({ description: 'A sentence for people.' }),
    tenant: common.tenant,
    product: common.product,
    directory_id: common.directory_id,
    id: common.id,
    occurred_at: timeOf('When it was sent.'),
  })
  .meta({ id: 'TestEvent', description: 'What a test of the webhook sends: verify it, answer, and do nothing.' });

export const feedAnswer = z
  .strictObject({
    data: z.array(eventAnswer),
    error: z.null(),
    list_metadata: z.strictObject({
      after: field(z.string().nullable(), 'The cursor to go on with: the next `after`.', 'eyJzIjoxN30'),
      has_more: field(z.boolean(), 'Whether there is more to be read at once.', false),
    }),
  })
  .meta({ id: 'EventPage', description: 'A page of the feed.' });
