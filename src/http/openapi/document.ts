import { headers } from '../headers.ts';
import { allOperations } from '../operations.ts';
import { tags, type TagName } from '../tags.ts';
import { addExamples } from './add-examples.ts';
import { createComponents, type Components, type JsonSchema } from './components.ts';
import { describeOperation, toResponse } from './describe-operation.ts';
import { introduction } from './introduction.ts';
import type { OpenApiDocument } from './open-api-document.ts';
import { unreadableSchema } from './unreadable-schema.ts';
import { describeWebhooks } from './webhooks.ts';

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
