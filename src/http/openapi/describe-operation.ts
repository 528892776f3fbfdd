import { z } from 'zod';
import { errorResponseSchema } from '../api/error-schema.ts';
import { type BodyDescription, type HeaderName, type Operation, type ResponseDescription, headers } from '../operation.ts';
import { tokenErrorSchema } from '../oauth/token-errors.ts';
import { scimErrorSchema } from '../scim/schemas.ts';
import type { Components, JsonSchema, OpenApiOperation, OpenApiParameter, OpenApiResponse } from './open-api-document.ts';

interface GeneratorContext {
  components: Components;
  limiting: boolean;
}

/** One operation, with all of its responses. */
export function describeOperation(operation: Operation, context: GeneratorContext): OpenApiOperation {
  const { components, limiting } = context;
  const { id, tag, title, description, params, query, body, upload } = operation;
  const parameters = [
    ...toParameters(components, params, 'path'),
    ...toParameters(components, query, 'query'),
    ...(operation.headers ?? []).map((name) => toParameter(name, 'header', components.toJsonSchema(headers[name], 'input'), false)),
  ];
  const responses: Record<string, OpenApiResponse> = {};
  const counted: HeaderName[] = limiting && isLimited(operation) ? ['RateLimit-Policy', 'RateLimit'] : [];
  for (const [status, response] of Object.entries(operation.responses))
    responses[status] = toResponse(operation, response, counted, context);
  for (const [status, sentence] of listErrors(operation, { limiting }))
    responses[status] = toResponse(operation, toErrorResponse(operation, sentence), listErrorHeaders(status, { limiting }), context);
  return {
    operationId: id,
    tags: [tag],
    summary: title,
    ...(description && { description }),
    security: toSecurity(operation),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(operation, body, components) }),
    ...(upload && { requestBody: describeUpload(upload, components) }),
    responses,
  };
}

/** OpenAPI 3.1 lists the roles that a request needs, here the scope, beside the scheme. */
function toSecurity({ auth, scope }: Operation): Record<string, string[]>[] {
  if (scope === undefined) return auth === 'none' ? [] : [{ [auth]: [] }];
  // A trusted proxy needs no key.
  return auth === 'gateway' ? [{ apiKey: [scope] }, {}] : [{ apiKey: [scope] }];
}

const bodyTypes: Record<NonNullable<Operation['format']>, string[]> = {
  json: ['application/json'],
  page: ['application/x-www-form-urlencoded'],
  scim: ['application/scim+json', 'application/json'],
  oauth: ['application/x-www-form-urlencoded'],
};

function describeBody({ format }: Operation, { schema, isOptional, example }: BodyDescription, components: Components) {
  const types = bodyTypes[format ?? 'json'];
  const content = { schema: components.toJsonSchema(schema, 'input'), ...(example !== undefined && { example }) };
  return { required: isOptional !== true, content: Object.fromEntries(types.map((type) => [type, content])) };
}

const describeUpload = (upload: Record<string, z.ZodType>, components: Components) => ({
  required: true,
  content: Object.fromEntries(Object.entries(upload).map(([type, schema]) => [type, { schema: components.toJsonSchema(schema, 'input') }])),
});

function toErrorResponse({ format }: Operation, description: string): ResponseDescription {
  if (format === 'scim') return { description, content: { 'application/scim+json': scimErrorSchema } };
  const content = { 'application/json': format === 'oauth' ? tokenErrorSchema : errorResponseSchema };
  return { description, content: format === 'page' ? { 'text/html': z.string(), ...content } : content };
}

export function toResponse(
  { format }: Pick<Operation, 'format'>,
  response: ResponseDescription,
  moreHeaders: HeaderName[],
  { components }: Pick<GeneratorContext, 'components'>,
): OpenApiResponse {
  const { description, data, body, example } = response;
  const names = [...(response.headers ?? []), ...moreHeaders];
  const whole = data ? z.strictObject({ data, error: z.null() }) : body;
  const content = whole ? { [format === 'scim' ? 'application/scim+json' : 'application/json']: whole } : response.content;
  return {
    description,
    ...(names.length > 0 && { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }),
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, schema]) => [
          type,
          { schema: components.toJsonSchema(schema, 'output'), ...(example !== undefined && { example }) },
        ]),
      ),
    }),
  };
}

function toParameters(components: Components, schema: z.ZodObject | undefined, place: 'path' | 'query'): OpenApiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = components.toFields(schema);
  return Object.entries(properties).map(([name, property]) => toParameter(name, place, property, required.includes(name)));
}

/** The description and example of a schema become those of the parameter. */
export function toParameter(name: string, place: 'path' | 'query' | 'header', property: JsonSchema, required: boolean): OpenApiParameter {
  const { description, examples, ...schema } = property as { description?: string; examples?: unknown[] };
  const example = examples?.[0];
  return { name, in: place, required, ...(description && { description }), schema, ...(example !== undefined && { example }) };
}

const sentences: Record<number, string> = {
  400: 'The request is invalid; the message says why.',
  401: 'The credentials are missing or invalid.',
  403: 'This is not allowed; the API key may lack the scope.',
  404: 'Nothing has this ID.',
  409: 'A unique value is already used.',
  410: 'The requested events or data are no longer kept.',
  412: 'The resource has changed.',
  413: 'The body is too large, or the response would be: a group with very many members.',
  415: 'The body is not JSON, or is compressed.',
  429: 'There were too many requests, or too many failed authentications.',
  500: 'Internal error. The log has the cause, under the `X-Request-Id` of the response.',
  501: 'This is not supported.',
  503: 'The service is temporarily unavailable.',
};

/** The errors that an operation may return, by status, each with a sentence. */
function listErrors(operation: Operation, { limiting }: { limiting: boolean }): Map<number, string> {
  const { errors = {}, responses } = operation;
  const statuses = [...usualErrors(operation), ...(isLimited(operation) && (limiting || countsFailures(operation)) ? [429] : [])];
  const all = [...new Set([...statuses, ...Object.keys(errors).map(Number)])].filter((status) => !(status in responses));
  return new Map(
    all
      .sort((one, other) => one - other)
      .map((status) => {
        const sentence = errors[status];
        return [status, typeof sentence === 'string' ? sentence : sentences[status]!];
      }),
  );
}

/** Failed authentications are limited even where requests are not. */
const countsFailures = ({ auth, format }: Operation) => auth !== 'none' || format === 'page' || format === 'oauth';

/** Health checks are never limited. */
const isLimited = ({ tag, auth }: Operation) => tag !== 'Health' || auth !== 'none';

function usualErrors(operation: Operation): number[] {
  const { auth, scope, format, path, query, body, upload } = operation;
  if (!isLimited(operation)) return [500];
  return [
    ...(query || body || format === 'page' ? [400] : []),
    ...(auth === 'none' ? [] : [401]),
    ...(format === 'scim' || scope ? [403] : []),
    ...(path.includes('{') ? [404] : []),
    ...(body || upload ? (format === 'oauth' ? [413] : [413, 415]) : readsMembers(path) ? [413] : []),
    500,
    503,
  ];
}

function listErrorHeaders(status: number, { limiting }: { limiting: boolean }): HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 500) return ['Retry-After', 'X-Request-Id'];
  if (status === 503 || (status === 429 && !limiting)) return ['Retry-After'];
  if (status !== 429) return [];
  return ['Retry-After', 'RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
}

/** Paths of a group, or of groups with their members. */
const readsMembers = (path: string) => /\/groups(\/\{\w+\})?$/i.test(path);
