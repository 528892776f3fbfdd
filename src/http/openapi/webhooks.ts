import { z } from 'zod';
import { eventSchema, testEventSchema } from '../api/events/schemas.ts';
import { exampleDeliveryId, exampleId, field } from '../api/field.ts';
import type { Components } from './components.ts';
import { toParameter } from './describe-operation.ts';
import type { OpenApiDocument } from './open-api-document.ts';

/** The requests that this service sends to receivers. */
export const describeWebhooks = (components: Components): OpenApiDocument['webhooks'] => ({
  directoryEvents: {
    post: {
      operationId: 'receiveDirectoryEvents',
      summary: 'Receive events',
      description,
      security: [],
      parameters: Object.entries(headers).map(([name, schema]) =>
        toParameter(name, 'header', components.toJsonSchema(schema, 'output'), !schema.safeParse(undefined).success),
      ),
      requestBody: {
        required: true,
        description: 'One event. In batch mode, an array of events.',
        content: { 'application/json': { schema: components.toJsonSchema(body, 'output') } },
      },
      responses: Object.fromEntries(Object.entries(responses).map(([status, meaning]) => [status, { description: meaning }])),
    },
  },
});

const description = `Rollcall POSTs each change to the \`webhook_url\` of its directory, in order: the next event is sent after the previous one was acknowledged. An event may arrive more than once, with the same \`id\` and the same \`webhook-id\`. The signature follows Standard Webhooks (standardwebhooks.com).

Respond within 15 seconds (the default of the deployment). The body of the response is ignored. The waits between attempts grow from seconds to a day. After the last attempt the delivery is disabled, and events are kept until it is resumed.`;

const seconds = z.string().regex(/^\d+$/);
const legacy = field(
  z.string().optional(),
  'The signature of Ory Polis: the time in milliseconds, and HMAC-SHA-256 in hexadecimal. Only with `webhook_legacy_signatures`.',
  't=1795250634746,s=5f1c…',
);

const headers: Record<string, z.ZodType> = {
  'webhook-id': field(z.string(), 'The ID of the delivery. All attempts have the same ID and the same body.', exampleDeliveryId),
  'webhook-timestamp': field(seconds, 'When this attempt began, in whole seconds since 1970.', '1795250634'),
  'webhook-signature': field(
    z.string(),
    'One or more signatures, separated by spaces. Each is `v1,` and the base64 of HMAC-SHA-256 over `<webhook-id>.<webhook-timestamp>.<body>`.',
    'v1,SSMp7RsVmuYb6I4p1s0nBdE2C3DezrpgWgUlsMaXbnM=',
  ),
  'webhook-replay': field(z.string().optional(), 'The ID of the replay. Only on deliveries of a replay.', exampleId),
  'webhook-test': field(z.literal('true').optional(), 'Only on a test event.', 'true'),
  'Ory-Polis-Signature': legacy,
  'BoxyHQ-Signature': legacy,
};

const body = z.union([eventSchema, z.array(eventSchema), testEventSchema, z.array(testEventSchema)]);

const responses = {
  '2XX': 'Acknowledged: the next event is sent.',
  400: 'Retried, as is 422. In batch mode, the batch is split after the third such response, until the failing event is alone.',
  410: 'The receiver is gone: the delivery is disabled immediately.',
  413: 'Retried. In batch mode, the batch is split immediately.',
  429: 'Retried, as are 502, 503 and 504. Later batches are smaller for a while.',
  default:
    'Retried: every other status, a redirect, a broken connection, and a response that is not complete in time. `Retry-After` sets the minimum wait, up to one day.',
};
