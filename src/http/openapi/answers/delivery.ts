import { z } from 'zod';
import { deliveryKinds, deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { count, field, id, sequence, timeOrNull } from './field.ts';
import { warnings } from './warning.ts';

const statusCode = field(z.int().nullable(), 'The status that the receiver answered; null: no answer.', 200);
const headerMap = z.record(z.string(), z.string());
const ms = (what: string) => field(z.number().nullable(), what, 12);

const timings = z
  .strictObject({
    dns_ms: ms('Looking up the name.'),
    connect_ms: ms('Making the connection.'),
    first_byte_ms: ms('Until the answer began.'),
    total_ms: field(z.number(), 'All together.', 48),
  })
  .nullable()
  .meta({ description: 'How long it took; null in what was not needed.' });

const saidBack = {
  response_headers: field(headerMap.nullable(), 'The headers of the answer.', { 'content-type': 'text/plain' }),
  response_body: field(z.string().nullable(), 'The first 16 KiB of the answer.', 'ok'),
  response_truncated: field(z.boolean().nullable(), 'Whether the answer was longer.', false),
};

export const deliveryAnswer = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id` under which it goes out.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
    directory_id: id('The directory.'),
    kind: field(z.enum(deliveryKinds), 'Whether it is new or of a replay.', 'live'),
    replay_id: field(z.string().nullable(), 'The replay that it belongs to.'),
    status: field(z.enum(deliveryStatuses), 'What became of it.', 'delivered'),
    from_sequence: field(sequence, 'The first event in it.', 17),
    to_sequence: field(sequence, 'The last event in it.', 17),
    event_count: field(count, 'How many events are in it.', 1),
    attempts: field(count, 'How often it was tried.', 1),
    failures: field(count, 'How often that failed.', 0),
    next_attempt_at: timeOrNull('When it is tried next, of one that is pending.'),
    bytes: field(count, 'How long its body is.', 512),
    sha256: field(z.string().nullable(), 'The hash of its body.', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
    created_at: timeOrNull('When it was put together.'),
    first_attempt_at: timeOrNull('When it was first tried.'),
    done_at: timeOrNull('When it was settled.'),
  })
  .meta({ id: 'Delivery', description: 'What goes out to a webhook under one `webhook-id`.' });
export type DeliveryAnswer = z.output<typeof deliveryAnswer>;

const attempt = z
  .strictObject({
    number: field(z.int(), 'Counted from 1.', 1),
    trigger: field(z.enum(['auto', 'manual', 'replay']), 'Why it was made.', 'auto'),
    outcome: field(
      z.enum(['success', 'http_error', 'timeout', 'dns', 'tls', 'connect', 'blocked', 'aborted', 'in_flight']),
      'What came of it.',
      'success',
    ),
    status_code: statusCode,
    error: field(z.string().nullable(), 'A sentence about what went wrong.'),
    url: field(z.string(), 'Where it went, without the query of the address.', 'https://app.example/hooks'),
    address: field(z.string().nullable(), 'The address that was reached.', '192.0.2.10'),
    secret_ids: field(z.array(z.string()).nullable(), 'The secrets that signed.'),
    request_headers: field(headerMap.nullable(), 'What was sent beside the body.', { 'webhook-id': 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' }),
    ...saidBack,
    timings,
    started_at: timeOrNull('When it began.'),
    ended_at: timeOrNull('When it ended.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One POST to the webhook.' });
export type AttemptAnswer = z.output<typeof attempt>;

export const wholeDelivery = deliveryAnswer
  .extend({
    body: field(z.string().nullable(), 'The very text that was sent; null when it is not kept.', '{"event":"user.created"}'),
    attempt_log: z.array(attempt).meta({ description: 'Every attempt, the first one first.' }),
  })
  .meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its body and every attempt.' });
export type WholeDeliveryAnswer = z.output<typeof wholeDelivery>;

export const webhookEventAnswer = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id`.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
    webhook_endpoint: field(z.string(), 'Where it went, without the query of the address.', 'https://app.example/hooks'),
    created_at: timeOrNull('When it was put together.'),
    status_code: field(z.int(), 'The status of the last attempt; 500 where no answer came.', 200),
    delivered: field(z.boolean(), 'Whether it was taken.', true),
    payload: field(z.unknown(), 'The event, or the array of a batch; null when it is not kept.', { event: 'user.created' }),
  })
  .meta({ id: 'WebhookEvent', description: "A delivery in the ancestor's form." });
export type WebhookEventAnswer = z.output<typeof webhookEventAnswer>;

export const sentTest = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id` of the test.', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W'),
    url: field(z.string(), 'Where it went, without the query of the address.', 'https://app.example/hooks'),
    outcome: field(
      z.enum(['success', 'http_error', 'timeout', 'dns', 'tls', 'connect', 'blocked', 'aborted']),
      'What came of it.',
      'success',
    ),
    status_code: statusCode,
    error: field(z.string().nullable(), 'A sentence about what went wrong.'),
    address: field(z.string().nullable(), 'The address that was reached.', '192.0.2.10'),
    request_headers: field(headerMap, 'What was sent beside the body.', { 'webhook-test': 'true' }),
    request_body: field(z.string(), 'What was sent.', '{"event":"webhook.test"}'),
    ...saidBack,
    timings,
  })
  .meta({ id: 'SentTest', description: 'What came of a test event.' });
export type SentTestAnswer = z.output<typeof sentTest>;

export const rotatedWebhookSecret = z
  .strictObject({
    secret: field(z.string(), 'What webhooks are signed with from now on.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
    previous_valid_until: timeOrNull('Until when the former one signs beside it.'),
    warnings,
  })
  .meta({ id: 'RotatedWebhookSecret', description: 'A new webhook secret.' });
