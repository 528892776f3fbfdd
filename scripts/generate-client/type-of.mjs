import { docComment } from './doc-comment.mjs';
import { propertyName, typeName } from './names.mjs';
import { Refusal as GeneratorError } from '../prepare/run.mjs';

/**
 * The TypeScript type of a JSON Schema. In a request (`isSent`) an optional property may be undefined, and unknown properties are type
 * errors, so that misspelled names are found.
 */
export function typeOf(schema, isSent = false) {
  if (schema === undefined || schema === true) return 'unknown';
  if (schema === false) return 'never';
  if (schema.$ref) return nameOfRef(schema.$ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return unionOf(schema.enum.map((value) => JSON.stringify(value)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return withProperties(schema, unionOf(choices.map((choice) => typeOf(choice, isSent))), isSent);
  if (schema.allOf) return withProperties(schema, schema.allOf.map((part) => inParentheses(typeOf(part, isSent))).join(' & '), isSent);
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type }, isSent)));
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return schema.prefixItems
        ? `[${schema.prefixItems.map((item) => typeOf(item, isSent)).join(', ')}]`
        : `${inParentheses(typeOf(schema.items, isSent))}[]`;
    default:
      return schema.type === 'object' || schema.properties ? objectOf(schema, isSent) : 'unknown';
  }
}

/** Whether the type can be an interface. */
export const isPlainObject = (schema) =>
  schema.type === 'object' &&
  Object.keys(schema.properties ?? {}).length > 0 &&
  !schema.anyOf &&
  !schema.oneOf &&
  !schema.allOf &&
  !schema.enum;

export function objectOf({ properties = {}, required = [], additionalProperties }, isSent) {
  const members = Object.entries(properties).map(([name, schema]) => {
    const isNeeded = required.includes(name);
    const type = typeOf(schema, isSent) + (isSent && !isNeeded ? ' | undefined' : '');
    return `${docComment(schema.description)}${propertyName(name)}${isNeeded ? '' : '?'}: ${type};\n`;
  });
  if (members.length === 0)
    return additionalProperties === false ? 'Record<string, never>' : `Record<string, ${typeOf(additionalProperties, isSent)}>`;
  const isOpen = additionalProperties === true || (typeof additionalProperties === 'object' && additionalProperties !== null);
  // The index signature must fit every property, so it is unknown.
  return `{\n${members.join('')}${isOpen && !isSent ? '[name: string]: unknown;\n' : ''}}`;
}

function nameOfRef(ref) {
  const [, name] = /^#\/components\/schemas\/([^/]+)$/.exec(ref) ?? [];
  if (!name) throw new GeneratorError(`The document refers to ${ref}: only #/components/schemas/… is supported.`);
  return typeName(name);
}

/** Properties beside a choice apply to each of its variants. */
const withProperties = (schema, type, isSent) =>
  schema.properties && Object.keys(schema.properties).length > 0 ? `${objectOf(schema, isSent)} & (${type})` : type;

function unionOf(types) {
  const different = [...new Set(types)];
  // Keeps the known strings in suggestions: TypeScript would merge them into string.
  const isOpen = different.includes('string') && different.some((type) => type.startsWith('"'));
  return different.map((type) => (type === 'string' && isOpen ? '(string & {})' : type)).join(' | ');
}

const inParentheses = (type) => (/^[\w$]+$/.test(type) ? type : `(${type})`);
