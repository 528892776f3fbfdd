import type { Schema } from '../openapi/described.ts';
import { escape } from '../escape.ts';
import { choicesOf } from '../openapi/follow-ref.ts';
import { schemaLink } from './prose.ts';

export const nameOfRef = (ref: string): string => ref.split('/').at(-1)!;

/** The type of a schema in words, with links to named schemas. */
export function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'anything';
  if (schema.$ref) return schemaLink(nameOfRef(schema.$ref));
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(' <span class="or">or</span> ');
  const choices = choicesOf(schema);
  if (choices.length > 0) return [...new Set(choices.map(typeOf))].join(' <span class="or">or</span> ');
  if (schema.allOf) return schema.allOf.map(typeOf).join(' with ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' <span class="or">or</span> ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items)}`;
  if (schema.type === undefined) return schema.properties ? 'object' : 'anything';
  return escape([schema.type, ...limitsOf(schema)].join(', '));
}

const code = (value: unknown) => `<code>${escape(JSON.stringify(value))}</code>`;

/** The constraints of a string or number. */
function limitsOf({ format, minimum, maximum, minLength, maxLength }: Schema): string[] {
  return [
    format ?? '',
    rangeOf(minimum, maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum),
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minLength === undefined ? '' : minLength === 1 ? 'not empty' : `at least ${minLength} characters`,
  ].filter(Boolean);
}

function rangeOf(minimum: number | undefined, maximum: number | undefined): string {
  const least = minimum === -Number.MAX_SAFE_INTEGER ? undefined : minimum;
  if (least !== undefined && maximum !== undefined) return `${least} to ${maximum}`;
  if (least !== undefined) return `at least ${least}`;
  return maximum === undefined ? '' : `at most ${maximum}`;
}

/** The object whose properties get rows of their own: one without a name, also in a list or beside null. */
export function insideOf(schema: Schema | undefined): Schema | undefined {
  if (!schema || schema.$ref) return undefined;
  if (schema.properties && Object.keys(schema.properties).length > 0) return schema;
  if (schema.items) return insideOf(schema.items);
  const choices = choicesOf(schema);
  return choices.length <= 2 ? choices.map(insideOf).find(Boolean) : undefined;
}
