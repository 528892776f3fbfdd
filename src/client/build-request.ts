import type { Operation } from './operation.ts';
import type { CallOptions } from './result.ts';
import { stringifyBounded } from './stringify-bounded.ts';

export interface BuiltRequest {
  method: string;
  /** The path is relative to the address of the service. */
  path: string;
  search: string;
  body: string | undefined;
  /** How long the service may wait for an event: the `wait` of the query. */
  waitMs: number;
  options: CallOptions;
}

/** An invalid argument. Its message is a sentence for the caller. */
export class InvalidArgument extends Error {
  override readonly name = 'InvalidArgument';
  readonly field: string;

  constructor(field: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.field = field;
  }
}

/** Splits the arguments of a call: those of the path, then the query or body, then the options. */
export function buildRequest({ method, path, pathParameters, takes }: Operation, args: readonly unknown[]): BuiltRequest {
  const filled = pathParameters.reduce((text, name, place) => text.replace(`{${name}}`, () => segmentOf(name, args[place])), path);
  const rest = args.slice(pathParameters.length);
  const argument = takes === 'nothing' ? undefined : rest.shift();
  const query = takes === 'query' ? readQuery(argument) : {};
  return {
    method,
    path: filled,
    search: searchOf(query),
    body: takes === 'body' ? bodyOf(argument) : undefined,
    waitMs: Math.max(0, Number(query['wait']) || 0) * 1000,
    options: rest[0] ?? {},
  };
}

function segmentOf(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  // An empty segment, or one of dots, would lead to another address.
  if (text === '' || text === '.' || text === '..')
    throw new InvalidArgument(name, `${name} must be an ID, for example 0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e.`);
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw new InvalidArgument(name, `${name} must be well-formed text, for example 0f3c2a9e-6c1b-4c57-9d53-0c8f3a1b2d4e.`, cause);
  }
}

function readQuery(query: unknown): Record<string, unknown> {
  if (query === undefined || query === null) return {};
  if (typeof query === 'object' && !Array.isArray(query)) return query as Record<string, unknown>;
  throw new InvalidArgument('query', 'The query must be an object, for example { tenant: "acme", product: "crm" }.');
}

/** A list repeats the name of the parameter. */
function searchOf(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, textOf(name, one));
  return search.size === 0 ? '' : `?${search.toString()}`;
}

function textOf(name: string, value: unknown): string {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new InvalidArgument(name, `${name} must be text, a number, or a list of these, for example { ${name}: "acme" }.`);
}

/** Higher than the limits of the service. */
const bodyBounds = { maxValues: 1_000_000, maxChars: 52_428_800 };

function bodyOf(body: unknown): string | undefined {
  let written: ReturnType<typeof stringifyBounded>;
  try {
    written = stringifyBounded(body, bodyBounds);
  } catch (cause) {
    throw new InvalidArgument('body', 'The body must be a JSON value, for example { tenant: "acme", product: "crm" }.', cause);
  }
  if (!written) throw new InvalidArgument('body', 'The body is too large. A value that it contains several times counts each time.');
  return written.text;
}
