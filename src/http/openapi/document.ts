import { z } from 'zod';
import { errorAnswer } from './answers/error.ts';
import { scimError } from './answers/scim.ts';
import { unreadable } from './answers/unreadable.ts';
import { createComponents, type Components, type JsonSchema } from './components.ts';
import { headers, type HeaderName } from './headers.ts';
import { introduction } from './introduction.ts';
import type { Answer, Operation } from './operation.ts';
import { operations } from './operations.ts';
import { pathParameters } from './path-parameters.ts';
import { isLimited, refusalHeaders, refusalsOf } from './refusals.ts';
import { tags } from './tags.ts';

export interface DocumentOptions {
  /** Under which the service is reached. */
  baseUrl: string;
  version: string;
  /** Whether requests are limited: only then there are addresses of limits, and refusals for too many requests. */
  limiting: boolean;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; summary: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    /** What any address may answer. */
    responses: Record<string, OpenApiResponse>;
    headers: Record<string, JsonSchema>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: OpenApiParameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, OpenApiResponse>;
}

interface OpenApiParameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

interface OpenApiResponse {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: JsonSchema }>;
}

/** The whole HTTP surface as OpenAPI 3.1. The same options make the same document. */
export function createDocument({ baseUrl, version, limiting }: DocumentOptions): OpenApiDocument {
  const components = createComponents();
  const served = operations.filter(({ isOfLimits }) => limiting || !isOfLimits);
  const paths: OpenApiDocument['paths'] = {};
  for (const operation of served) (paths[operation.path] ??= {})[operation.method] = describe(operation, { components, limiting });
  const anywhere = {
    Unreadable: toResponse(
      { description: 'What can not be read as a request: 400, 408, 413 or 431.', content: { 'application/json': unreadable } },
      { components, limiting },
    ),
  };
  const used = new Set(served.map(({ tag }) => tag));
  const isServedHeader = (name: string) => limiting || !/RateLimit|Lease/.test(name);
  return {
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
      .filter(([name]) => used.has(name as keyof typeof tags))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas(),
      responses: anywhere,
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => isServedHeader(name) && !name.startsWith('If-'))
          .map(([name, schema]) => [name, toHeader(schema, components)]),
      ),
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Authorization: Api-Key <key>`, with a key of the service. Any other word before the key will do as well.',
        },
        scimSecret: { type: 'http', scheme: 'bearer', description: "The directory's SCIM secret: `scim.secret` of a directory." },
      },
    },
  };
}

interface Describing {
  components: Components;
  limiting: boolean;
}

function describe(operation: Operation, { components, limiting }: Describing): OpenApiOperation {
  const { operationId, tag, summary, description, auth, body } = operation;
  const parameters = [
    ...pathParameters(operation.path),
    ...queryParameters(operation, components),
    ...headerParameters(operation, components),
  ];
  const responses: Record<string, OpenApiResponse> = {};
  for (const [status, answer] of Object.entries(operation.answers))
    responses[status] = toResponse(answer, { components, limiting }, operation);
  for (const [status, said] of refusalsOf(operation, { limiting }))
    responses[status] = toResponse(
      { description: said, content: refusalContent(operation), headers: [...refusalHeaders(status)] },
      { components, limiting },
    );
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: security[auth],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: body.isOptional !== true, content: contentOf(requestContent(operation, body.schema), 'input', components) },
    }),
    responses,
  };
}

const security: Record<Operation['auth'], Record<string, string[]>[]> = {
  apiKey: [{ apiKey: [] }],
  scimSecret: [{ scimSecret: [] }],
  // A trusted proxy needs none.
  gateway: [{ apiKey: [] }, {}],
  none: [],
};

const requestContent = ({ dialect }: Operation, schema: z.ZodType): Record<string, z.ZodType> =>
  dialect === 'scim' ? { 'application/scim+json': schema, 'application/json': schema } : { 'application/json': schema };

function refusalContent({ dialect }: Operation): Record<string, z.ZodType> {
  if (dialect === 'scim') return { 'application/scim+json': scimError };
  return dialect === 'page' ? { 'text/html': z.string(), 'application/json': errorAnswer } : { 'application/json': errorAnswer };
}

function toResponse(answer: Answer, { components, limiting }: Describing, of?: Operation): OpenApiResponse {
  const isCounted = limiting && of !== undefined && isLimited(of);
  const names: HeaderName[] = [...(answer.headers ?? []), ...(isCounted ? (['RateLimit-Policy', 'RateLimit'] as const) : [])];
  return {
    description: answer.description,
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }),
    ...(answer.content && { content: contentOf(answer.content, 'output', components) }),
  };
}

const contentOf = (content: Record<string, z.ZodType>, io: 'input' | 'output', components: Components) =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema: components.toJsonSchema(schema, io) }]));

function queryParameters({ query = [] }: Operation, components: Components): OpenApiParameter[] {
  return query.flatMap((schema) => {
    const { properties = {}, required = [] } = components.toFields(schema);
    return Object.entries(properties).map(([name, property]) => toParameter(name, 'query', property, required.includes(name)));
  });
}

const headerParameters = ({ headers: names = [] }: Operation, components: Components) =>
  names.map((name) => toParameter(name, 'header', components.toJsonSchema(headers[name], 'input'), false));

function toParameter(name: string, place: 'query' | 'header', property: JsonSchema, required: boolean): OpenApiParameter {
  const { description, examples, ...schema } = property as { description?: string; examples?: unknown[] };
  const example = examples?.[0];
  return { name, in: place, required, ...(description && { description }), schema, ...(example !== undefined && { example }) };
}

function toHeader(schema: z.ZodType, components: Components): JsonSchema {
  const { description, examples, ...json } = components.toJsonSchema(schema, 'output') as { description?: string; examples?: unknown[] };
  return { description, schema: json, example: examples?.[0] };
}
