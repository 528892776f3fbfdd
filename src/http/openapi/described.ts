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
