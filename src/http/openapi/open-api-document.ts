import { z } from 'zod';

/** The part of OpenAPI 3.1 that the generator writes. */
export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; summary: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  webhooks: Record<string, { post: OpenApiWebhook }>;
  components: {
    schemas: Record<string, JsonSchema>;
    /** Responses that every path may return. */
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
  requestBody?: { required: boolean; description?: string; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, OpenApiResponse>;
}

/** A request that is sent to receivers. */
type OpenApiWebhook = Omit<OpenApiOperation, 'tags'>;

export interface OpenApiParameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface OpenApiResponse {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: JsonSchema; example?: unknown }>;
}

export type JsonSchema = Record<string, unknown>;

export type Components = ReturnType<typeof createComponents>;

/** Converts zod schemas to JSON schemas. Those with an `id` become components, and the others refer to them. */
export function createComponents() {
  const schemas: Record<string, JsonSchema> = {};
  const known = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };
  return {
    schemas: () => Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1))),

    /** `input` is what a caller sends, before defaults and transformations. */
    toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      const json = known[io].get(schema) ?? convert(schema, io);
      known[io].set(schema, json);
      return json;
    },

    /** The fields of a query or path. */
    toFields: (schema: z.ZodType) => translate(schema, 'input') as { properties?: Record<string, JsonSchema>; required?: string[] },
  };

  function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _schema, $defs = {}, id, ...json } = translate(schema, io);
    for (const [name, component] of Object.entries($defs as Record<string, JsonSchema>)) keep(name, component);
    if (typeof id !== 'string') return json;
    keep(id, json);
    return { $ref: `#/components/schemas/${id}` };
  }

  function keep(name: string, { id: _id, ...component }: JsonSchema) {
    const other = schemas[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(component))
      throw new Error(`Two different schemas have the ID ${name}.`);
    schemas[name] = component;
  }
}

const translate = (schema: z.ZodType, io: 'input' | 'output') =>
  pointToComponents(z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy })) as JsonSchema;

/** Removes the bounds of safe integers, and patterns beside a format: they do not help a reader. */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  // Zod leaves examples out where a value is transformed. Here they show what is sent.
  const examples = z.globalRegistry.get(zodSchema)?.examples;
  if (examples !== undefined) jsonSchema['examples'] = examples;
}

const pointToComponents = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace(/^#\/\$defs\//, '#/components/schemas/') : value,
  );
