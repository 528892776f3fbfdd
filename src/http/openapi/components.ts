import { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export type Components = ReturnType<typeof createComponents>;

/** Turns zod schemas into JSON schemas. Those with an `id` become components, which the others refer to. */
export function createComponents() {
  const schemas: Record<string, JsonSchema> = {};
  return {
    schemas: () => Object.fromEntries(Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1))),

    /** `input` is what a caller sends, before it is read. */
    toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
      const {
        $schema: _,
        $defs = {},
        ...json
      } = point(z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy })) as JsonSchema;
      for (const [name, component] of Object.entries($defs as Record<string, JsonSchema>)) keep(name, component);
      if (typeof json['id'] !== 'string') return json;
      const { id, ...component } = json;
      keep(id, component);
      return { $ref: `#/components/schemas/${id}` };
    },
  };

  function keep(name: string, component: JsonSchema) {
    const { id: _, ...schema } = component;
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`Two schemas go by the name ${name}.`);
    schemas[name] = schema;
  }
}

/** The bounds of safe integers, and a pattern beside a format, say nothing to a reader. */
function tidy({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  if (jsonSchema['format'] === 'boolean') delete jsonSchema['format'];
}

const point = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace(/^#\/\$defs\//, '#/components/schemas/') : value,
  );
