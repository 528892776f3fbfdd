import { z } from 'zod';
import { exampleDeliveryId, field, timeOrNull } from '../field.ts';

export const webhookEventSchema = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id`.', exampleDeliveryId),
    webhook_endpoint: field(z.string(), 'The address that it was sent to, without the query.', 'https://app.example/hooks'),
    created_at: timeOrNull('When the delivery was created.'),
    status_code: field(z.int(), 'The status of the last attempt; 500 if there was no response.', 200),
    delivered: field(z.boolean(), 'Whether the receiver acknowledged it.', true),
    payload: field(z.unknown(), 'The event, or the array of events of a batch; null if it is not kept.', { event: 'user.created' }),
  })
  .meta({ id: 'WebhookEvent', description: 'A delivery in the form of Ory Polis.' });
export type WebhookEventBody = z.output<typeof webhookEventSchema>;
