import { headers } from '../headers.ts';
import { allOperations } from '../operations.ts';
import { tags, type TagName } from '../tags.ts';
import { createComponents, type Components, type JsonSchema } from './components.ts';
import { describeOperation, toResponse } from './describe-operation.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { describeWebhooks } from './webhooks.ts';
import { exampleOf } from './example-of.ts';
import { errorResponseSchema } from '../api/error-schema.ts';
import { scimErrorSchema } from '../scim/schemas.ts';

/** The path may be unknown, and so the format of the error: it has both. */
const unreadableSchema = scimErrorSchema
  .extend(errorResponseSchema.shape)
  .meta({ id: 'UnreadableRequestError', description: 'The response to what is not a valid HTTP request: an error in both formats.' });

export interface DocumentOptions {
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
  description: 'What is not a valid HTTP request: 400, 408, 413 or 431.',
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
  scimSecret: { type: 'http', scheme: 'bearer', description: 'The SCIM secret of the directory: its `scim.secret`.' },
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
const introduction = `Identity providers push users and groups by SCIM 2.0, or a directory is pulled from Google Workspace. Applications read users and groups here, and get every change, in order, by signed webhooks or from the event feed.

**The JSON API** requires \`Authorization: Api-Key <key>\`. Its responses have the form \`{ "data": …, "error": … }\`, where one of the two is \`null\`. An error has a stable \`code\`, a \`message\` for people, and the invalid \`field\` where there is one.

**SCIM** requires the directory's secret: \`Authorization: Bearer <secret>\`. Its responses have the form that SCIM defines.

**Paths of Ory Polis.** \`/api/v1/dsync\` is an alias of \`/api/v1/directory-sync\`, \`/scim-requests\` of \`/requests\`, and \`/ServiceProviderConfigs\` of \`/ServiceProviderConfig\`.

**Methods.** \`HEAD\` is supported wherever \`GET\` is. \`OPTIONS\` returns 204 with \`Allow\`. Any other method fails with 405 and \`Allow\`.

**Invalid HTTP.** What is not a valid HTTP request fails with 400, a request that does not arrive in time with 408, a body with large chunk extensions with 413, and headers of more than 16 KiB with 431. The error has both forms: \`UnreadableRequestError\`.

**Every response** has an \`X-Request-Id\`, under which the log has the request. A request may bring its own.

**Lists** take \`offset\` and \`limit\`: 50 items by default, at most 1000. \`pageOffset\` and \`pageLimit\` are aliases.
`;
