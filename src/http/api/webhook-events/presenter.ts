import type { WebhookEvent } from '../../../directory/delivery/delivery-log.ts';
import { toTime } from '../field.ts';
import type { WebhookEventBody } from './schemas.ts';

/** What Polis shows for an attempt without a response. */
const noResponseStatus = 500;

export const presentWebhookEvent = ({ id, url, createdAt, statusCode, delivered, body }: WebhookEvent): WebhookEventBody => ({
  id,
  webhook_endpoint: url,
  created_at: toTime(createdAt),
  status_code: statusCode ?? noResponseStatus,
  delivered,
  payload: body === undefined ? null : (JSON.parse(body) as unknown),
});
