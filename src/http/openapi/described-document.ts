/** The part of an OpenAPI 3.1 document that the reference page shows. */
export interface DescribedDocument {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, unknown>>;
  /** The requests that are sent to receivers, by name and method. */
  webhooks?: Record<string, Record<string, Operation>>;
  components?: {
    schemas?: Record<string, Schema>;
    securitySchemes?: Record<string, SecurityScheme>;
    parameters?: Record<string, unknown>;
    responses?: Record<string, unknown>;
    requestBodies?: Record<string, unknown>;
    headers?: Record<string, unknown>;
  };
  security?: SecurityRequirement[];
}

export type SecurityRequirement = Record<string, string[]>;

export interface SecurityScheme {
  type?: string;
  scheme?: string;
  name?: string;
  description?: string;
}

export interface Operation {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: SecurityRequirement[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Response>;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema?: Schema;
}

export interface Body {
  description?: string;
  required?: boolean;
  content: Record<string, { schema?: Schema; example?: unknown }>;
}

export interface Response {
  description?: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

/** JSON Schema, draft 2020-12. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** Resolves a reference to `#/components/…`. */
export function followRef<Part extends object>(document: DescribedDocument, part: Part): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const found = part.$ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
  if (typeof found !== 'object' || found === null) throw new Error(`The document refers to ${part.$ref}, which does not exist.`);
  return followRef(document, found as Part);
}

export const choicesOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

/** The description of a schema may be that of one of its choices, for example beside null. */
export const descriptionOf = (schema: Schema | undefined): string | undefined =>
  schema && (schema.description ?? choicesOf(schema).map(descriptionOf).find(Boolean));

export const givenExampleOf = (schema: Schema | undefined): unknown =>
  schema?.examples
    ? schema.examples[0]
    : schema &&
      choicesOf(schema)
        .map(givenExampleOf)
        .find((example) => example !== undefined);

/** The variants of an object that has several. */
export const variantsOf = (schema: Schema): Schema[] => {
  const objects = choicesOf(schema).filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return objects.length > 1 ? objects : [];
};

export interface ListedOperation extends Operation {
  method: string;
  path: string;
  tag: string;
  parameters: Parameter[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Every operation, with shared parameters and references resolved. */
export function listOperations(document: DescribedDocument): ListedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method] as Operation;
        const shared = (item['parameters'] ?? []) as Parameter[];
        return {
          ...operation,
          ...(operation.requestBody && { requestBody: followRef(document, operation.requestBody) }),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [status, followRef(document, response)]),
          ),
          parameters: [...shared, ...(operation.parameters ?? [])].map((parameter) => followRef(document, parameter)),
          security: operation.security ?? document.security ?? [],
          method: method.toUpperCase(),
          path,
          tag: operation.tags?.[0] ?? 'Other',
        };
      }),
  );
}

const maxDepth = 8;

/** A value that fits a schema, made from its examples where it has any. */
export function exampleOf(document: DescribedDocument, described: Schema | undefined, depth = 0): unknown {
  if (!described) return 'text';
  const schema = followRef(document, described);
  for (const given of [givenExampleOf(schema), schema.const, schema.default, schema.enum?.[0]]) if (given !== undefined) return given;
  const part = choicesOf(schema)[0] ?? schema.allOf?.[0];
  if (part) return exampleOf(document, part, depth);
  switch (String([schema.type].flat()[0])) {
    case 'array': {
      const { prefixItems } = schema;
      if (prefixItems) return prefixItems.map((item) => exampleOf(document, item, depth + 1));
      return depth > maxDepth ? [] : [exampleOf(document, schema.items, depth + 1)];
    }
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return schema.format === 'date-time' ? '2027-11-21T08:43:54Z' : 'text';
    default:
      return depth > maxDepth ? {} : objectOf(document, schema, depth);
  }
}

/** The required properties; if there are none, one that has an example. Further in, also all that have an example. */
function objectOf(document: DescribedDocument, { properties = {}, required = [] }: Schema, depth: number) {
  const all = Object.entries(properties);
  const needed = all.filter(([name]) => required.includes(name));
  const withExample = all.filter(([name, one]) => required.includes(name) || givenExampleOf(one) !== undefined);
  const shown = depth > 0 ? withExample : needed.length > 0 ? needed : withExample.slice(0, 1);
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(document, schema, depth + 1)]));
}
