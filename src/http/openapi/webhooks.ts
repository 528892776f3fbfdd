import { z } from 'zod';
import { eventAnswer, testEvent } from './answers/event.ts';
import { exampleId, field } from './answers/field.ts';
import type { Components } from './components.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { toParameter } from './to-parameter.ts';

/** What is sent to others: the other half of the surface, in which Rollcall is the one that asks. */
export const describeWebhooks = (components: Components): OpenApiDocument['webhooks'] => ({
  directoryEvents: {
    post: {
      operationId: 'receiveDirectoryEvents',
      summary: 'Tells the application what has changed.',
      description,
      security: [],
      parameters: Object.entries(headers).map(([name, schema]) =>
        toParameter(name, 'header', components.toJsonSchema(schema, 'output'), !schema.safeParse(undefined).success),
      ),
      requestBody: {
        required: true,
        description: 'One event; where events go in batches, an array of them.',
        content: { 'application/json': { schema: components.toJsonSchema(body, 'output') } },
      },
      responses: Object.fromEntries(Object.entries(answers).map(([status, said]) => [status, { description: said }])),
    },
  },
});

const description = `Rollcall POSTs each change to the \`webhook_url\` of its directory, in order: the next one is sent after the one before was taken. An event may come more than once; its \`id\` and the \`webhook-id\` are the same then. The signature follows Standard Webhooks (standardwebhooks.com).

An answer wants to come soon, within 15 seconds if the deployment says nothing else, and what its body says is not looked at. The waits between attempts grow, from seconds to a day; after the last one the delivery is disabled, and events are kept until it is resumed.`;

const seconds = z.string().regex(/^\d+$/);
const legacy = field(
  z.string().optional(),
  "The ancestor's signature: the time in milliseconds, and HMAC-SHA-256 in hexadecimal. Only with `webhook_legacy_signatures`.",
  't=1795250634746,s=5f1c…',
);

const headers: Record<string, z.ZodType> = {
  'webhook-id': field(
    z.string(),
    'The delivery. Every attempt carries the same one, and the same bytes.',
    'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W',
  ),
  'webhook-timestamp': field(seconds, 'When this attempt was made, in whole seconds since 1970.', '1795250634'),
  'webhook-signature': field(
    z.string(),
    'One or more signatures, separated by spaces, each `v1,` and base64 of HMAC-SHA-256 over `<webhook-id>.<webhook-timestamp>.<body>`.',
    'v1,SSMp7RsVmuYb6I4p1s0nBdE2C3DezrpgWgUlsMaXbnM=',
  ),
  'webhook-replay': field(z.string().optional(), 'Only on what a replay sends: the replay.', exampleId),
  'webhook-test': field(z.literal('true').optional(), 'Only on a test.', 'true'),
  'Ory-Polis-Signature': legacy,
  'BoxyHQ-Signature': legacy,
};

const body = z.union([eventAnswer, z.array(eventAnswer), testEvent, z.array(testEvent)]);

const answers = {
  '2XX': 'The event is taken, and the next one follows.',
  400: 'Not taken, and tried again. So it is with 422. In batches, the third of these has the batch divided, until the event at fault is alone.',
  410: 'The receiver is gone: the delivery is disabled at once.',
  413: 'Not taken. In batches, the batch is divided at once.',
  429: 'Not taken, and tried again; later batches are smaller for a while. So it is with 502, 503 and 504.',
  default:
    'Not taken, and tried again: every other status, a redirect, a broken connection, or no whole answer in time. `Retry-After` makes the wait at least that long, a day at most.',
};
