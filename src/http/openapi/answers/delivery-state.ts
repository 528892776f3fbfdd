import { z } from 'zod';
import { deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { count, field, id, sequence, timeOrNull } from './field.ts';
import { runningReplay } from './replay.ts';

const open = z.strictObject({
  id: field(z.string(), 'Its `webhook-id`.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
  status: z.enum(deliveryStatuses),
  attempts: field(count, 'How often it was tried.', 2),
  failures: field(count, 'How often that failed.', 2),
  next_attempt_at: timeOrNull('When it is tried next.'),
});

const secret = z.strictObject({
  id: id('Its id; the secret itself is not shown.'),
  created_at: timeOrNull('When it was made.'),
  expires_at: timeOrNull('Until when it signs.'),
  last_used_at: timeOrNull('When it last signed.'),
});

export const deliveryState = z
  .strictObject({
    status: field(z.enum(['enabled', 'paused', 'disabled', 'misconfigured']), 'How it stands.', 'enabled'),
    reason: field(z.string().nullable(), 'Why it rests, if it does.'),
    url: field(z.string().nullable(), 'Where events go, without its query; null: nowhere.', 'https://app.example/hooks'),
    backlog: field(count, 'Events that were neither delivered nor passed over.', 0),
    acked_sequence: field(sequence, 'How far it has come.', 17),
    last_sequence: field(sequence, 'The last event that there is.', 17),
    oldest_pending_at: timeOrNull('Since when the oldest event waits.'),
    open: open.nullable().meta({ description: 'The delivery that the others wait for.' }),
    first_failure_at: timeOrNull('The first failure since the last success.'),
    last_success_at: timeOrNull('When a webhook was last taken.'),
    legacy_signatures: field(z.boolean(), "Whether webhooks carry the ancestor's signatures too.", false),
    secrets: z.array(secret).meta({ description: 'Those that sign, the newest first.' }),
    replay: runningReplay.nullable().meta({ description: 'The replay that runs.' }),
  })
  .meta({ id: 'DeliveryState', description: 'How the delivery of a directory stands.' });
export type DeliveryStateAnswer = z.output<typeof deliveryState>;

export const pausedDelivery = deliveryState
  .extend({ settled: field(z.boolean(), 'Whether nothing is being sent any more.', true) })
  .meta({ id: 'PausedDelivery', description: 'How the delivery stands after it was paused.' });
