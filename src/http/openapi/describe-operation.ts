import { z } from 'zod';
import { errorAnswer } from './answers/error.ts';
import { scimError } from './answers/scim.ts';
import type { Components } from './components.ts';
import { headers, type HeaderName } from './headers.ts';
import type { OpenApiOperation, OpenApiParameter, OpenApiResponse } from './open-api-document.ts';
import type { Answer, Operation } from './operation.ts';
import { pathParameters } from './path-parameters.ts';
import { isLimited, refusalHeaders, refusalsOf } from './refusals.ts';
import { toParameter } from './to-parameter.ts';

export interface Describing {
  components: Components;
  limiting: boolean;
}

/** One operation, with all that it may answer. */
export function describeOperation(operation: Operation, { components, limiting }: Describing): OpenApiOperation {
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
      { description: said, content: refusalContent(operation), headers: [...refusalHeaders(status, { limiting })] },
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
      requestBody: describeBody(operation, body, components),
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

function describeBody(operation: Operation, { schema, isOptional, example }: NonNullable<Operation['body']>, components: Components) {
  const content = contentOf(requestContent(operation, schema), 'input', components);
  return {
    required: isOptional !== true,
    content: Object.fromEntries(
      Object.entries(content).map(([type, described]) => [type, { ...described, ...(example !== undefined && { example }) }]),
    ),
  };
}

const requestContent = ({ dialect }: Operation, schema: z.ZodType): Record<string, z.ZodType> =>
  dialect === 'scim' ? { 'application/scim+json': schema, 'application/json': schema } : { 'application/json': schema };

function refusalContent({ dialect }: Operation): Record<string, z.ZodType> {
  if (dialect === 'scim') return { 'application/scim+json': scimError };
  return dialect === 'page' ? { 'text/html': z.string(), 'application/json': errorAnswer } : { 'application/json': errorAnswer };
}

export function toResponse(answer: Answer, { components, limiting }: Describing, of?: Operation): OpenApiResponse {
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
