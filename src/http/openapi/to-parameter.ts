import type { JsonSchema } from './components.ts';
import type { OpenApiParameter } from './open-api-document.ts';

/** What stands in a query or a header, as OpenAPI has it: what is said of a schema is said of the parameter. */
export function toParameter(name: string, place: 'query' | 'header', property: JsonSchema, required: boolean): OpenApiParameter {
  const { description, examples, ...schema } = property as { description?: string; examples?: unknown[] };
  const example = examples?.[0];
  return { name, in: place, required, ...(description && { description }), schema, ...(example !== undefined && { example }) };
}
