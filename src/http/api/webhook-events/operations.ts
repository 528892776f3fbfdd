import { z } from 'zod';
import { pathParam } from '../../operation.ts';
import { defineOperation } from '../define-operation.ts';
import { exampleDeliveryId, field, timeOrNull, toTime } from '../schema-fields.ts';
import { createListCursors, cursorPageQuery, deliveryPosition, pageBody } from '../cursor.ts';
import {
  directoryFields,
  requireDirectoryId,
  selectorDescription,
  selectorErrors,
  selectorFields,
  selectorQuery,
  toSelector,
} from '../selector.ts';
import type { WebhookEvent } from '../../../directory/delivery/delivery-log.ts';

const webhookEventSchema = z
  .strictObject({
    id: field(z.string(), 'The `webhook-id`.', exampleDeliveryId),
    webhook_endpoint: field(z.string(), 'The address that it was sent to, without the query.', 'https://app.example/hooks'),
    created_at: timeOrNull('When the delivery was created.'),
    status_code: field(z.int(), 'The status of the last attempt; 500 if there was no response.', 200),
    delivered: field(z.boolean(), 'Whether the receiver acknowledged it.', true),
    payload: field(z.unknown(), 'The event, or the array of events of a batch; null if it is not kept.', { event: 'user.created' }),
  })
  .meta({ id: 'WebhookEvent', description: 'A delivery in the form of Ory Polis.' });
type WebhookEventBody = z.output<typeof webhookEventSchema>;

const all = '/api/v1/directory-sync/events';
const common = { tag: 'Webhook events', auth: 'apiKey', errors: selectorErrors } as const;
const cursors = createListCursors('webhook events', deliveryPosition);

export const webhookEventOperations = [
  defineOperation({
    ...common,
    id: 'webhookEvents.list',
    scope: 'deliveries:read',
    reach: 'narrowed',
    method: 'get',
    path: all,
    title: 'List webhook events',
    description: `Lists the delivery log in the form of Ory Polis, newest first. ${selectorDescription}`,
    query: cursorPageQuery.extend(selectorFields),
    responses: { 200: { description: 'The webhook events.', body: pageBody(webhookEventSchema, 'WebhookEventPage', 'webhook events') } },
    handler: async ({ input: { query }, deps, caller }) => {
      const scope = toSelector(query, caller.narrowed);
      return cursors.toBody(await deps.deliveryLog.listEvents(scope, cursors.readPage(query, scope)), scope, presentWebhookEvent);
    },
  }),
  defineOperation({
    ...common,
    id: 'webhookEvents.get',
    scope: 'deliveries:read',
    reach: 'narrowed',
    method: 'get',
    path: `${all}/{eventId}`,
    params: z.object({ eventId: pathParam('The `webhook-id`.', exampleDeliveryId) }),
    title: 'Get a webhook event',
    description: `Returns one entry of the delivery log in the form of Ory Polis. ${selectorDescription}`,
    query: selectorQuery,
    responses: { 200: { description: 'The webhook event.', data: webhookEventSchema } },
    handler: async ({ input: { params, query }, deps, caller }) =>
      presentWebhookEvent(await deps.deliveryLog.getEvent(toSelector(query, caller.narrowed), params.eventId)),
  }),
  defineOperation({
    ...common,
    id: 'webhookEvents.delete',
    scope: 'deliveries:write',
    reach: 'narrowed',
    audit: ['delivery_log.deleted'],
    method: 'delete',
    path: all,
    title: 'Delete webhook events',
    description:
      "Deletes a directory's deliveries that have a final status. `directory_id` is required. Pending, exhausted and skipped deliveries are kept.",
    query: z.object(directoryFields),
    responses: { 200: { description: 'The webhook events are deleted.', data: z.null() } },
    handler: async ({ input: { query }, deps, caller }) => {
      await deps.deliveryLog.dropEvents({ ...toSelector(query, caller.narrowed), directoryId: requireDirectoryId(query) });
      return null;
    },
  }),
];

/** What Polis shows for an attempt without a response. */
const noResponseStatus = 500;

const presentWebhookEvent = ({ id, url, createdAt, statusCode, delivered, body }: WebhookEvent): WebhookEventBody => ({
  id,
  webhook_endpoint: url,
  created_at: toTime(createdAt),
  status_code: statusCode ?? noResponseStatus,
  delivered,
  payload: body === undefined ? null : (JSON.parse(body) as unknown),
});
