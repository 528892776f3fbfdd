import { z } from 'zod';
import { deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { reportedStatuses } from '../../../directory/delivery/ports.ts';
import { count, exampleDeliveryId, field, id, sequence, timeOrNull } from '../field.ts';
import { runningReplaySchema } from '../replays/schemas.ts';

const open = z.strictObject({
  id: field(z.string(), 'The `webhook-id` of the delivery.', exampleDeliveryId),
  status: z.enum(deliveryStatuses),
  attempts: field(count, 'The number of attempts.', 2),
  failures: field(count, 'The number of failed attempts.', 2),
  next_attempt_at: timeOrNull('When the next attempt is due.'),
});

const secret = z.strictObject({
  id: id("The secret's ID. The secret itself is not shown."),
  created_at: timeOrNull('When it was created.'),
  expires_at: timeOrNull('Until when it signs webhooks; null: until it is rotated.'),
  last_used_at: timeOrNull('When it last signed a webhook.'),
});

export const deliveryStateSchema = z
  .strictObject({
    status: field(z.enum(reportedStatuses), 'The delivery state.', 'active'),
    reason: field(z.string().nullable(), 'Why the delivery is paused, disabled or misconfigured.', null),
    url: field(z.string().nullable(), 'The address that events are sent to, without its query; null: none.', 'https://app.example/hooks'),
    backlog: field(count, 'The number of events that are neither delivered nor skipped.', 0),
    acked_sequence: field(sequence, 'The sequence up to which all events are delivered or skipped.', 17),
    last_sequence: field(sequence, 'The sequence of the last event.', 17),
    oldest_pending_at: timeOrNull('When the oldest undelivered event was created.'),
    open: open.nullable().meta({ description: 'The delivery that all later events wait for.' }),
    first_failure_at: timeOrNull('The first failure since the last success.'),
    last_success_at: timeOrNull('When a webhook was last acknowledged.'),
    legacy_signatures: field(z.boolean(), 'Whether webhooks also carry the signatures of Ory Polis.', false),
    secrets: z.array(secret).meta({ description: 'The secrets that sign webhooks, newest first.' }),
    replay: runningReplaySchema.nullable().meta({ description: 'The replay that is running.' }),
  })
  .meta({ id: 'DeliveryState', description: 'The state of the delivery of a directory.' });
export type DeliveryStateBody = z.output<typeof deliveryStateSchema>;

export const pausedDeliverySchema = deliveryStateSchema
  .extend({ settled: field(z.boolean(), 'Whether nothing is in flight any more.', true) })
  .meta({ id: 'PausedDelivery', description: 'The state of the delivery after it was paused.' });
