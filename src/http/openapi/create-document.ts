import { allOperations } from '../operations.ts';
import { describeOperation, toParameter, toResponse } from './describe-operation.ts';
import { type Components, type JsonSchema, type OpenApiDocument, createComponents } from './open-api-document.ts';
import { errorResponseSchema } from '../api/error-schema.ts';
import { scimErrorSchema } from '../scim/schemas.ts';
import { type TagName, headers, tags } from '../operation.ts';
import { z } from 'zod';
import { eventSchema, testEventSchema } from '../api/events/schemas.ts';
import { exampleDeliveryId, exampleId, field } from '../api/schema-fields.ts';
import { exampleOf } from './described-document.ts';

/** The path may be unknown, and so the format of the error: it has both. */
const unreadableSchema = scimErrorSchema
  .extend(errorResponseSchema.shape)
  .meta({ id: 'UnreadableRequestError', description: 'The response to a request that is not valid HTTP: an error in both formats.' });

interface DocumentOptions {
  /** The address under which others reach the service. */
  baseUrl: string;
  version: string;
  /** Whether rate limits are configured. Without them, their operations and errors are left out. */
  limiting: boolean;
}

/** The whole HTTP API as OpenAPI 3.1. The same options always give the same document. */
export function createDocument({ baseUrl, version, limiting }: DocumentOptions): OpenApiDocument {
  const components = createComponents();
  const served = allOperations.filter(({ requiresLimits }) => limiting || !requiresLimits);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of served) (paths[operation.path] ??= {})[operation.method] = describeOperation(operation, { components, limiting });
  const webhooks = describeWebhooks(components);
  const responses = { Unreadable: toResponse({}, unreadableResponse, [], { components }) };
  const used = new Set(served.map(({ tag }) => tag));
  return addExamples({
    openapi: '3.1.0',
    info: {
      title: 'Rollcall',
      version,
      summary: 'Directory sync: SCIM 2.0 in, ordered and signed webhooks out.',
      description: introduction,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name as TagName))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      // Last, because all of the above adds schemas.
      schemas: components.schemas(),
      responses,
      headers: describeHeaders(components, { limiting }),
      securitySchemes,
    },
  });
}

const unreadableResponse = {
  description: 'The request is not valid HTTP: 400, 408, 413 or 431.',
  content: { 'application/json': unreadableSchema },
};

/** The headers of responses. Those of rate limits exist only where there are limits. */
const describeHeaders = (components: Components, { limiting }: { limiting: boolean }): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith('If-') && (limiting || !/RateLimit|Lease/.test(name)))
      .map(([name, schema]) => {
        const { description, examples, ...json } = components.toJsonSchema(schema, 'output') as JsonSchema & { examples?: unknown[] };
        return [name, { description, schema: json, example: examples?.[0] }];
      }),
  );

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description:
      '`Authorization: Api-Key <key>`, with one of the API keys of the service. Any other scheme before the key is accepted too.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-rollcall_session',
    description:
      'The cookie of a person who has signed in with a browser; without https, its name is `rollcall_session`. Operations of the JSON API accept it in place of an API key. A request that may change something must come from a page of this service.',
  },
  scimSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The SCIM secret of the directory, its `scim.secret`, or an access token of one of its OAuth clients.',
  },
};

/** Adds an example to every JSON response of success that has none. */
function addExamples(document: OpenApiDocument): OpenApiDocument {
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item)))
    for (const [status, { content = {} }] of Object.entries(operation.responses))
      for (const [type, described] of Object.entries(content))
        if (Number(status) < 400 && type.endsWith('json')) described.example ??= exampleOf(document, described.schema);
  return document;
}

/** What applies to all operations. Markdown. */
const introduction = `Identity providers push users and groups by SCIM 2.0, or Rollcall pulls a directory from Google Workspace, Microsoft Graph or files. Applications read users and groups here, and get every change, in order, by signed webhooks or from the event feed.

**The JSON API** requires \`Authorization: Api-Key <key>\`. Its responses have the form \`{ "data": …, "error": … }\`, where one of the two is \`null\`. An error has a stable \`code\`, a \`message\` for people, and the invalid \`field\` where there is one.

**SCIM** requires the directory's secret, or an access token of one of its OAuth clients: \`Authorization: Bearer <secret>\`. Its responses have the form that SCIM defines.

**Paths of Ory Polis.** \`/api/v1/dsync\` is an alias of \`/api/v1/directory-sync\`, \`/scim-requests\` of \`/requests\`, \`/api/health\` of \`/health/ready\`, and \`/ServiceProviderConfigs\` of \`/ServiceProviderConfig\`. Below \`/cron\`, \`GET\` does what \`POST\` does. \`DELETE\` of an unknown directory fails with 404, but succeeds at \`/api/v1/dsync\`.

**Methods.** \`HEAD\` is supported wherever \`GET\` is. \`OPTIONS\` returns 204 with \`Allow\`. Any other method fails with 405 and \`Allow\`.

**Invalid HTTP.** What is not a valid HTTP request fails with 400, a request that does not arrive in time with 408, a body with large chunk extensions with 413, and headers of more than 16 KiB with 431. The error has both forms: \`UnreadableRequestError\`.

**Every response** has an \`X-Request-Id\`, under which the log has the request. A request may bring its own.

**Lists** take \`offset\` and \`limit\`: 50 items by default, at most 1000. \`pageOffset\` and \`pageLimit\` are aliases that accept any value: a number that is out of range means the nearest one in range, and what is no number means the default.
`;

/** The requests that this service sends to receivers. */
const describeWebhooks = (components: Components): OpenApiDocument['webhooks'] => ({
  directoryEvents: {
    post: {
      operationId: 'receiveDirectoryEvents',
      summary: 'Receive events',
      description,
      security: [],
      parameters: Object.entries(webhookHeaders).map(([name, schema]) =>
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

const webhookHeaders: Record<string, z.ZodType> = {
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
