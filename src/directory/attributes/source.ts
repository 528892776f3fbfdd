import { ScimError } from '../../scim/errors.ts';
import { parsePath } from '../../scim/filter/parse-filter.ts';
import type { Target } from '../../scim/filter/filter.ts';
import { userType } from '../../scim/schema/resource-types.ts';
import { findAttribute, withoutSub } from '../../scim/schema/resolve-path.ts';
import type { AttributeType as ScimType } from '../../scim/schema/attribute.ts';
import { type AttributeSchema, type AttributeType, type CustomAttribute, invalid } from './attribute.ts';
import { toValue } from './to-value.ts';

export const letterCases = ['lower', 'upper'] as const;
export type LetterCase = (typeof letterCases)[number];
type Constant = string | number | boolean;

/** One place of a value: a path of the user, as SCIM writes it, or a fixed value. */
export type Origin = { path: string } | { constant: Constant };
/** Where the value of an attribute comes from. */
export type Source = (Origin | { first_of: Origin[] }) & { case?: LetterCase | undefined };

/** By the name of the attribute. Null: it has no value, not even by default. */
export type AttributeMapping = Record<string, Source | null>;

export const maxPathLength = 500;
export const maxOrigins = 10;
const maxMappingBytes = 32_768;

/** A parsed path. `rest` are names below what SCIM's paths can reach, as in Google's `customSchemas.Employment.grade`. */
export interface ParsedPath extends Target {
  rest: string[];
}

const deepName = /^(?!urn:)([a-z_][\w-]*\.[a-z_][\w-]*)((?:\.[a-z_][\w-]*){1,4})$/i;

/** Throws a ScimError. */
export function parseSourcePath(text: string): ParsedPath {
  const [, start, rest = ''] = deepName.exec(text) ?? [undefined, text];
  return { ...parsePath(start, userType), rest: rest === '' ? [] : rest.slice(1).split('.') };
}

/** Rejects a mapping that names an attribute that the schema lacks, a path that does not parse, or a value of another type. */
export function assertMappable(mapping: AttributeMapping, schema: AttributeSchema): void {
  if (Buffer.byteLength(JSON.stringify(mapping)) > maxMappingBytes)
    throw invalid('attributes', `may have at most ${maxMappingBytes} bytes of JSON`);
  const attributes = new Map(schema.map((attribute) => [attribute.name, attribute]));
  for (const [name, source] of Object.entries(mapping)) {
    const field = `attributes.${name}`;
    const attribute = attributes.get(name);
    if (!attribute) throw invalid(field, 'is not an attribute of the product: add it to its attribute schema first');
    if (source === null) continue;
    if (source.case !== undefined && attribute.type !== 'string')
      throw invalid(`${field}.case`, `is only for strings: the type is ${attribute.type}`);
    if (!('first_of' in source)) assertFits(attribute, source, field);
    else for (const [index, origin] of source.first_of.entries()) assertFits(attribute, origin, `${field}.first_of.${index}`);
  }
}

function assertFits(attribute: CustomAttribute, origin: Origin, field: string): void {
  if ('constant' in origin) {
    if (toValue(attribute.type, origin.constant) === undefined) throw invalid(`${field}.constant`, `must be a ${attribute.type}`);
    return;
  }
  const found = scimTypeOf(origin.path, `${field}.path`);
  if (found && !fits[attribute.type].includes(found))
    throw invalid(`${field}.path`, `has values of the type ${found}, but the attribute has the type ${attribute.type}`);
}

/** The type of what SCIM's schemas define; undefined if they do not define it. */
function scimTypeOf(path: string, field: string): ScimType | undefined {
  try {
    const { path: target, rest } = parseSourcePath(path);
    if (rest.length > 0) return undefined;
    const found = findAttribute(target, userType);
    if (!found) return target.sub === 'value' ? findAttribute(withoutSub(target), userType)?.type : undefined;
    const value = found.subAttributes?.find(({ name }) => name === 'value');
    // The value of an e-mail address can be both: the object, or the text in it.
    return found.type === 'complex' && value ? undefined : found.type;
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    throw invalid(field, `is not a path of a user. ${error.message.replace(/\.$/, '')}`);
  }
}

const texts: ScimType[] = ['string', 'reference', 'binary', 'dateTime'];
/** Text may contain a number, a date, or "true". */
const fits: Record<AttributeType, ScimType[]> = {
  string: [...texts, 'boolean', 'decimal', 'integer'],
  number: ['string', 'decimal', 'integer'],
  boolean: ['string', 'boolean'],
  date: ['string', 'dateTime'],
  object: ['complex'],
};
