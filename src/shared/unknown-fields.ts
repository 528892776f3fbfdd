import { z } from 'zod';
import { AppError } from '../errors.ts';
import { findTypo, suggest } from './suggest.ts';

/** The names that an object may have, and those of the objects within it. */
export interface Fields {
  names: string[];
  within: Record<string, Fields>;
}

export function findFields(schema: z.ZodType): Fields {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return { names: [], within: {} };
  const shape = Object.entries(inner.shape);
  return {
    names: shape.map(([name]) => name),
    within: Object.fromEntries(
      shape.filter(([, field]) => unwrap(field) instanceof z.ZodObject).map(([name, field]) => [name, findFields(field)]),
    ),
  };
}

function unwrap(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? unwrap(schema.unwrap() as z.ZodType)
    : schema;
}

/**
 * Unknown fields are ignored: applications that move here send more than this service knows. But a name that is nearly a known one is a
 * typing error, and ignoring it would do something else than the caller asked for. Returns the ignored names.
 */
export function rejectUnknownFields(value: unknown, { names, within }: Fields, path = ''): string[] {
  rejectUnknownField(value, names, path);
  if (!isObject(value)) return [];
  const ignored = Object.keys(value).flatMap((name) => (names.includes(name) ? [] : [`${path}${name}`]));
  for (const [name, fields] of Object.entries(within)) ignored.push(...rejectUnknownFields(value[name], fields, `${path}${name}.`));
  return ignored;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export function rejectUnknownField(value: unknown, known: string[], path = ''): void {
  if (!isObject(value)) return;
  const unknown = findUnknown(Object.keys(value), known);
  if (unknown === undefined) return;
  const field = `${path}${unknown.name}`;
  throw new AppError('invalid_request', `Unknown field ${field}.${suggest(`${path}${unknown.suggestion}`)}`, { field });
}

/** The same for query parameters. The known ones are mapped to the name to suggest, synonyms to the parameter that they stand for. */
export function rejectUnknownParameter(query: object, known: Record<string, string>, synonyms: Record<string, string> = {}): void {
  const names = Object.keys(query);
  const synonym = names.find((name) => Object.hasOwn(synonyms, name));
  const unknown = synonym === undefined ? findUnknown(names, Object.keys(known)) : { name: synonym, suggestion: synonyms[synonym]! };
  if (unknown === undefined) return;
  const { name, suggestion } = unknown;
  throw new AppError('invalid_request', `Unknown parameter ${name}.${suggest(known[suggestion] ?? suggestion)}`, { field: name });
}

function findUnknown(names: string[], known: string[]): { name: string; suggestion: string } | undefined {
  for (const name of names) {
    const suggestion = known.includes(name) ? undefined : (findWithoutEnd(name, known) ?? findTypo(name, known));
    if (suggestion !== undefined) return { name, suggestion };
  }
  return undefined;
}

/** For example `webhook_legacy` for `webhook_legacy_signatures`. */
const findWithoutEnd = (name: string, known: string[]) =>
  name.length > 5 ? known.find((one) => one.startsWith(`${name.toLowerCase()}_`)) : undefined;
