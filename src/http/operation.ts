import type { Context } from 'koa';
import { z } from 'zod';
import type { HttpDeps } from './deps.ts';
import type { HeaderName } from './headers.ts';
import type { TagName } from './tags.ts';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/**
 * One route: what a request looks like, what it returns, and the code that handles it. The router, the OpenAPI document and the typed
 * client are all built from the list of operations, without any dependencies.
 */
export interface Operation {
  /** `<area>.<verb>` for operations that the typed client has as methods. */
  id: string;
  method: Method;
  /** As OpenAPI writes it: `/api/v1/directory-sync/{directoryId}`. */
  path: string;
  /** Other paths of the same operation. They are routed, and not in the OpenAPI document. */
  aliases?: readonly string[];
  tag: TagName;
  auth: 'apiKey' | 'scimSecret' | 'gateway' | 'none';
  /** How errors are written: the JSON API's envelope (default), SCIM's error message, or a page. */
  format?: 'json' | 'scim' | 'page';
  /** What the operation does, as a heading: "List directories". */
  title: string;
  description?: string;
  /** The names in the path, in their order. */
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Request headers. */
  headers?: readonly HeaderName[];
  body?: BodyDescription;
  responses: Record<number, ResponseDescription>;
  /** Errors beyond those that every operation of this kind may return. `true` uses the default sentence for the status. */
  errors?: Record<number, string | true>;
  /** Served only when rate limits are configured. */
  requiresLimits?: boolean;
  /** Also handles every method that the path has no operation for. */
  handlesAnyMethod?: boolean;
  handle(ctx: Context, deps: HttpDeps): Promise<void>;
}

export interface BodyDescription<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  isOptional?: boolean;
  /** Where the schema's own example does not fit. */
  example?: unknown;
}

export interface ResponseDescription {
  description: string;
  headers?: readonly HeaderName[];
  /** The `data` of the JSON API's envelope. */
  data?: z.ZodType;
  /** A whole body, without the envelope. */
  body?: z.ZodType;
  /** Bodies by media type, where it is not the usual one. */
  content?: Record<string, z.ZodType>;
  /** Where the example that is made from the schema does not fit. */
  example?: unknown;
}

/** The parameter that an alias stands for, which its description names. */
export const canonicalOf = (description = ''): string | undefined => /^Alias of `([^`]+)`\.$/.exec(description)?.[1];

export const pathParam = (description: string, example: string) => z.string().meta({ description, examples: [example] });

const namesInPath = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** The status of an operation's response, unless its handler sets another. */
export function defaultStatus({ responses }: Pick<Operation, 'responses'>): number {
  const [status = 200] = Object.keys(responses).map(Number);
  return status;
}

/** Fails while modules load, so that a wrong operation is never served. */
export function assertConsistent({ id, path, params }: Operation): Operation['params'] {
  const described = Object.keys(params?.shape ?? {});
  if (described.join() !== namesInPath(path).join()) throw new Error(`${id}: params must describe the names in ${path}.`);
  return params;
}
