import { z } from 'zod';
import { pageBody } from '../cursor.ts';
import { eventSchema } from '../events/schemas.ts';
import { groupReferenceSchema } from '../groups/schemas.ts';
import { count, exampleDeliveryId, exampleId, field, id, sequence, timeOf, timeOrNull } from '../schema-fields.ts';
import { userSchema } from '../users/operations.ts';

const exportedUser = z
  .strictObject({ kind: z.literal('user'), user: userSchema })
  .meta({ id: 'ExportedUser', description: 'The user. Missing if it was deleted.' });

const exportedMembership = z
  .strictObject({
    kind: z.literal('membership'),
    group: groupReferenceSchema,
    display: field(z.string().nullable(), "The person's name, as the identity provider sent it with the group.", 'Ada Lovelace'),
    pending: field(z.boolean(), 'Whether the person is a pending member, because the user does not exist yet.', false),
  })
  .meta({ id: 'ExportedMembership', description: 'A group of which the person is a direct member.' });

const exportedEvent = z
  .strictObject({ kind: z.literal('event'), event: eventSchema })
  .meta({ id: 'ExportedEvent', description: 'An event about the person. Its `data` is null if its body was deleted.' });

const attempt = z.strictObject({
  number: field(count, 'The number of the attempt.', 1),
  started_at: timeOf('When it began.'),
  outcome: field(z.string(), 'The outcome.', 'success'),
  status_code: field(z.int().nullable(), 'The status of the response, if there was one.', 200),
  response_body: field(z.string().nullable(), 'The first 16384 characters of the response, if they are kept.', 'ok'),
});
const exportedDelivery = z
  .strictObject({
    kind: z.literal('delivery'),
    id: field(z.string(), 'The `webhook-id`.', exampleDeliveryId),
    status: field(z.string(), 'The status of the delivery.', 'delivered'),
    created_at: timeOrNull('When it was created.'),
    done_at: timeOrNull('When it was settled.'),
    from_sequence: field(sequence, 'The sequence of its first event.', 17),
    to_sequence: field(sequence, 'The sequence of its last event.', 17),
    event_count: field(count, 'The number of events, with those of other people.', 1),
    body_deleted: field(z.boolean(), 'Whether its body is not kept, so that `payloads` is empty.', false),
    payloads: z.array(z.unknown()).meta({ description: 'The events of the delivery that are about the person, as they were sent.' }),
    attempts: z
      .array(attempt)
      .meta({ description: 'The newest 20 attempts. Without responses if the delivery has events of other people.' }),
  })
  .meta({ id: 'ExportedDelivery', description: 'A delivery of an event about the person.' });

const exportedRequest = z
  .strictObject({
    kind: z.literal('request'),
    id: id("The record's ID."),
    at: timeOf('When the request arrived.'),
    method: field(z.string(), 'The HTTP method.', 'POST'),
    path: field(z.string(), "The path below the directory's address. Without its query, if that does not name the person.", '/Users'),
    status: field(z.int(), 'The status of the response.', 201),
    detail: field(z.string().nullable(), 'The `detail` of the error, if there was one.', null),
    body: field(
      z.string().nullable(),
      "The body, without passwords, if the request is to the person's own address or creates the person. Any other may name others.",
      '{"userName":"ada@acme.example"}',
    ),
  })
  .meta({ id: 'ExportedRequest', description: 'A recorded SCIM request that names the person.' });

const exportedItem = z
  .discriminatedUnion('kind', [exportedUser, exportedMembership, exportedEvent, exportedDelivery, exportedRequest])
  .meta({ id: 'ExportedItem', description: 'A record about a person.' });
export type ExportedItemBody = z.output<typeof exportedItem>;

export const exportPageSchema = pageBody(exportedItem, 'UserExportPage', 'what is kept about a person');

const erased = (what: string) => field(count, `How many ${what}.`, 1).optional();
export const erasureSchema = z
  .strictObject({
    id: id("The erasure's ID. The audit log has it too."),
    user_id: field(z.string(), "The user's ID.", exampleId),
    status: field(z.enum(['running', 'done']), 'Whether it has ended.', 'done'),
    requested_at: timeOf('When it was requested.'),
    finished_at: timeOrNull('When it ended; null: it is in progress.'),
    erased: z
      .strictObject({
        users: erased('users were deleted'),
        memberships: erased('memberships were removed'),
        pending_members: erased('groups waited for the person'),
        events: erased('events lost their bodies'),
        undelivered_events: erased('of these were not delivered, and kept the ID'),
        documents: erased('large documents of events were deleted'),
        deliveries: erased('deliveries lost their bodies'),
        requests: erased('recorded requests were deleted'),
      })
      .meta({ description: 'The number of records erased so far, by kind.' }),
  })
  .meta({ id: 'Erasure', description: 'The erasure of a person.' });
export type ErasureBody = z.output<typeof erasureSchema>;
