import { z } from 'zod';
import { deliveryKinds, deliveryStatuses } from '../../../directory/delivery/delivery-log.ts';
import { failedOutcomes, reportedStatuses, sendOutcomes } from '../../../directory/delivery/ports.ts';
import { count, exampleDeliveryId, exampleId, field, id, sequence, timeOf, timeOrNull } from '../schema-fields.ts';
import { warnings } from '../error-schema.ts';
import { runningReplaySchema } from '../replays/operations.ts';

const statusCode = field(z.int().nullable(), 'The status of the response; null: there was no response.', 200);
const headerMap = z.record(z.string(), z.string());
const ms = (what: string) => field(z.number().nullable(), what, 12);

const timings = z
  .strictObject({
    dns_ms: ms('DNS lookup.'),
    connect_ms: ms('Connection set-up.'),
    first_byte_ms: ms('Time to the first byte of the response.'),
    total_ms: field(z.number(), 'Total time of the attempt.', 48),
  })
  .nullable()
  .meta({ description: 'Durations in milliseconds; null for steps that were not needed.' });

const responseFields = {
  response_headers: field(headerMap.nullable(), 'The headers of the response.', { 'content-type': 'text/plain' }),
  response_body: field(z.string().nullable(), 'The first 16 KiB of the response body.', 'ok'),
  response_truncated: field(z.boolean().nullable(), 'Whether the response body was longer.', false),
};

export const deliverySchema = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id` of the delivery.', exampleDeliveryId),
    directory_id: id("The directory's ID."),
    kind: field(z.enum(deliveryKinds), 'Whether it delivers new events (`live`) or belongs to a replay.', 'live'),
    replay_id: field(z.string().nullable(), 'The replay that it belongs to.', null),
    status: field(z.enum(deliveryStatuses), 'The status of the delivery.', 'delivered'),
    from_sequence: field(sequence, 'The sequence of its first event.', 17),
    to_sequence: field(sequence, 'The sequence of its last event.', 17),
    event_count: field(count, 'The number of events.', 1),
    event_types: field(z.array(z.string()), 'The different types of its first 20 events, without those whose rows are deleted.', [
      'user.created',
    ]),
    attempts: field(count, 'The number of attempts.', 1),
    failures: field(count, 'The number of failed attempts.', 0),
    next_attempt_at: timeOrNull('When the next attempt is due, if it is pending.'),
    bytes: field(count, 'The size of the body.', 512),
    sha256: field(
      z.string().nullable(),
      'The SHA-256 hash of the body.',
      '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    ),
    created_at: timeOrNull('When it was created.'),
    first_attempt_at: timeOrNull('When the first attempt began.'),
    done_at: timeOrNull('When it reached a final status.'),
  })
  .meta({ id: 'Delivery', description: 'A webhook request body under one `webhook-id`.' });
export type DeliveryBody = z.output<typeof deliverySchema>;

export const deliveryOfDirectorySchema = deliverySchema
  .extend({
    directory: z
      .strictObject({
        name: field(z.string(), 'Display name.', 'scim-acme-crm'),
        tenant: field(z.string(), 'The customer.', 'acme'),
        product: field(z.string(), 'The application.', 'crm'),
      })
      .meta({ description: 'The directory of the delivery.' }),
  })
  .meta({ id: 'DeliveryOfDirectory', description: 'A delivery with the name and the owner of its directory.' });
export type DeliveryOfDirectoryBody = z.output<typeof deliveryOfDirectorySchema>;

const attempt = z
  .strictObject({
    number: field(z.int(), 'The number of the attempt, from 1.', 1),
    trigger: field(z.enum(['auto', 'replay']), 'What caused the attempt.', 'auto'),
    outcome: field(z.enum([...sendOutcomes, 'in_flight']), 'The outcome.', 'success'),
    status_code: statusCode,
    error: field(z.string().nullable(), 'Why it failed.', null),
    url: field(z.string(), 'The address that it was sent to, without the query.', 'https://app.example/hooks'),
    address: field(z.string().nullable(), 'The IP address that was reached.', '192.0.2.10'),
    secret_ids: field(z.array(z.string()).nullable(), 'The IDs of the secrets that signed it.', [exampleId]),
    request_headers: field(headerMap.nullable(), 'The headers of the request.', { 'webhook-id': exampleDeliveryId }),
    ...responseFields,
    timings,
    started_at: timeOrNull('When the attempt began.'),
    ended_at: timeOrNull('When the attempt ended.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One attempt: a POST to the webhook.' });
export type AttemptBody = z.output<typeof attempt>;

export const deliveryWithAttemptsSchema = deliverySchema
  .extend({
    body: field(z.string().nullable(), 'The body exactly as it was sent; null if it is not kept.', '{"event":"user.created"}'),
    attempt_log: z.array(attempt).meta({ description: 'All attempts, oldest first.' }),
  })
  .meta({ id: 'DeliveryWithAttempts', description: 'A delivery with its body and every attempt.' });
export type DeliveryWithAttemptsBody = z.output<typeof deliveryWithAttemptsSchema>;

export const sentTestSchema = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id` of the test.', exampleDeliveryId),
    url: field(z.string(), 'The address that it was sent to, without the query.', 'https://app.example/hooks'),
    outcome: field(z.enum(sendOutcomes), 'The outcome.', 'success'),
    status_code: statusCode,
    error: field(z.string().nullable(), 'Why it failed.', null),
    address: field(z.string().nullable(), 'The IP address that was reached.', '192.0.2.10'),
    request_headers: field(headerMap, 'The headers of the request.', { 'webhook-test': 'true' }),
    request_body: field(z.string(), 'The body of the request.', '{"event":"webhook.test"}'),
    ...responseFields,
    timings,
  })
  .meta({ id: 'SentTest', description: 'The result of a webhook test.' });
export type SentTestBody = z.output<typeof sentTestSchema>;

export const rotatedWebhookSecretSchema = z
  .strictObject({
    secret: field(z.string(), 'The secret that webhooks are signed with from now on.', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
    previous_valid_until: timeOrNull('Until when the previous secret also signs.'),
    warnings,
  })
  .meta({ id: 'RotatedWebhookSecret', description: 'A new webhook secret.' });

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

const attemptId = field(z.string(), 'The ID of the delivery, a slash, and the number of the attempt.', `${exampleDeliveryId}/2`);

const lastError = z.strictObject({
  at: timeOf('When the attempt ended.'),
  outcome: field(z.enum(failedOutcomes), 'The outcome.', 'http_error'),
  status_code: field(z.int().nullable(), 'The status of the response; null: there was no response.', 500),
  error: field(z.string().nullable(), 'Why it failed.', 'app.example responded with 500 (Internal Server Error).'),
  attempt_id: attemptId,
});

/** How a delivery fails, in the health of a directory. */
export const failingFields = {
  failing_since: timeOrNull('The first failure since the last success; null: the last attempt succeeded.'),
  consecutive_failures: field(count, 'The number of failed attempts since the last success.', 0),
  next_attempt_at: timeOrNull('When the next attempt is due; null: there is no automatic one.'),
  last_error: z
    .strictObject({
      at: timeOf('When the attempt ended.'),
      message: field(z.string().nullable(), 'Why it failed.', 'app.example responded with 503 (Service Unavailable).'),
      status: field(z.int().nullable(), 'The status of the response; null: there was no response.', 503),
      attempt_id: attemptId,
    })
    .nullable()
    .meta({ description: 'The newest failed attempt since the last success.' }),
};

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
    last_error: lastError.nullable().meta({ description: 'The newest failed attempt, while deliveries fail; null otherwise.' }),
    first_failure_at: timeOrNull('The first failure since the last success.'),
    failing_since: timeOrNull('The same, while the state is `failing`; null otherwise.'),
    consecutive_failures: field(count, 'The number of failed attempts since the last success.', 0),
    next_attempt_at: timeOrNull('When the next attempt is due, while the state is `failing`; null otherwise.'),
    last_success_at: timeOrNull('When a webhook was last acknowledged.'),
    legacy_signatures: field(z.boolean(), 'Whether webhooks also carry the signatures of Ory Polis.', false),
    secrets: z.array(secret).meta({ description: 'The secrets that sign webhooks, newest first.' }),
    replay: runningReplaySchema.nullable().meta({ description: 'The replay that is running.' }),
  })
  .meta({ id: 'DeliveryState', description: 'The state of the delivery of a directory.' });
export type DeliveryStateBody = z.output<typeof deliveryStateSchema>;

export const pausedDeliverySchema = deliveryStateSchema
  .extend({ settled: field(z.boolean(), 'Whether no attempt is in flight any more.', true) })
  .meta({ id: 'PausedDelivery', description: 'The state of the delivery after it was paused.' });
