import { z } from 'zod';
import { errorResponseSchema } from '../api/error-schema.ts';
import { headers, type HeaderName } from '../headers.ts';
import type { BodyDescription, Operation, ResponseDescription } from '../operation.ts';
import { scimErrorSchema } from '../scim/schemas.ts';
import type { Components, JsonSchema } from './components.ts';
import { isLimited, listErrorHeaders, listErrors } from './list-errors.ts';
import type { OpenApiOperation, OpenApiParameter, OpenApiResponse } from './open-api-document.ts';

export interface GeneratorContext {
  components: Components;
  limiting: boolean;
}

/** One operation, with all of its responses. */
export function describeOperation(operation: Operation, context: GeneratorContext): OpenApiOperation {
  const { components, limiting } = context;
  const { id, tag, title, description, auth, params, query, body } = operation;
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
    security: security[auth],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: describeBody(operation, body, components) }),
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

function describeBody({ format }: Operation, { schema, isOptional, example }: BodyDescription, components: Components) {
  const types = format === 'scim' ? ['application/scim+json', 'application/json'] : ['application/json'];
  const content = { schema: components.toJsonSchema(schema, 'input'), ...(example !== undefined && { example }) };
  return { required: isOptional !== true, content: Object.fromEntries(types.map((type) => [type, content])) };
}

function toErrorResponse({ format }: Operation, description: string): ResponseDescription {
  if (format === 'scim') return { description, content: { 'application/scim+json': scimErrorSchema } };
  const content = { 'application/json': errorResponseSchema };
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
