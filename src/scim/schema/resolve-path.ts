import type { Attribute, AttributePath, ResourceType, Schema } from './attribute.ts';
import { commonAttributes } from './resource-types.ts';

const name = /^\$?[a-z_][\w$-]*$/i;

/**
 * Resolves the name of an attribute to the spelling of its schema. A URN is split after a registered schema, because the `2.0` in it
 * contains a dot too. A bare name may refer to an extension's attribute (Entra sends `manager`). Unknown names stand for themselves.
 */
export const resolvePath = (text: string, type: ResourceType): AttributePath | undefined =>
  usualPathsOf(type).get(text) ?? resolve(text, type);

const resolve = (text: string, type: ResourceType) => (/^urn:/i.test(text) ? resolveUrn(renew(text, type), type) : resolveBare(text, type));

/** All attributes as their schemas spell them. Nearly all names are spelled so and need no parsing. */
function usualPathsOf(type: ResourceType): ReadonlyMap<string, AttributePath> {
  const known = usualPaths.get(type);
  if (known) return known;
  const names = [
    ...namesOf(coreOf(type)),
    ...type.extensions.flatMap(({ id, attributes }) => namesOf(attributes).map((attribute) => `${id}:${attribute}`)),
  ];
  const paths = new Map(names.map((text) => [text, Object.freeze(resolve(text, type)!)]));
  usualPaths.set(type, paths);
  return paths;
}
const usualPaths = new WeakMap<ResourceType, ReadonlyMap<string, AttributePath>>();

const namesOf = (attributes: Attribute[]) =>
  attributes.flatMap(({ name: whole, subAttributes = [] }) => [whole, ...subAttributes.map((part) => `${whole}.${part.name}`)]);

/** SCIM 1.1 uses other URNs for the same schemas (OneLogin). */
const renew = (text: string, { schema, extensions }: ResourceType) =>
  text.replace(
    /^urn:scim:schemas:(?:core|extension:enterprise):1\.0(?=:|$)/i,
    (old) => (/core/i.test(old) ? schema : extensions[0])?.id ?? old,
  );

/** The path as shown in messages. */
export function printPath({ extension, attribute, sub }: AttributePath): string {
  const dotted = sub === undefined ? attribute : `${attribute}.${sub}`;
  if (extension === undefined) return dotted ?? '';
  return dotted === undefined ? extension : `${extension}:${dotted}`;
}

export function findAttribute({ extension, attribute, sub }: AttributePath, type: ResourceType): Attribute | undefined {
  if (attribute === undefined) return undefined;
  const found = findByName(attributesOf(extension, type), attribute);
  return sub === undefined ? found : findByName(found?.subAttributes ?? [], sub);
}

/** The attributes of an extension, or of the type itself. */
export const attributesOf = (extension: string | undefined, type: ResourceType): Attribute[] =>
  extension === undefined ? coreOf(type) : (findExtension(extension, type)?.attributes ?? []);

export const findExtension = (urn: string, { extensions }: ResourceType): Schema | undefined =>
  extensions.find(({ id }) => isSameUrn(id, urn));

function coreOf(type: ResourceType): Attribute[] {
  const known = coresOfTypes.get(type) ?? [...type.schema.attributes, ...commonAttributes];
  coresOfTypes.set(type, known);
  return known;
}
const coresOfTypes = new WeakMap<ResourceType, Attribute[]>();

function resolveUrn(text: string, type: ResourceType): AttributePath | undefined {
  const inCore = after(text, type.schema.id);
  if (inCore !== undefined) return inCore === '' ? undefined : resolveWithin(inCore, coreOf(type));
  for (const { id, attributes } of type.extensions) {
    const rest = after(text, id);
    if (rest === '') return { extension: id };
    if (rest !== undefined) return withExtension(id, resolveWithin(rest, attributes));
  }
  const colon = text.lastIndexOf(':');
  return withExtension(text.slice(0, colon), resolveWithin(text.slice(colon + 1), []));
}

/** The text after the URN and its colon; empty if the text ends with the URN. */
function after(text: string, urn: string): string | undefined {
  if (!isSameUrn(text.slice(0, urn.length), urn)) return undefined;
  if (text.length === urn.length) return '';
  return text[urn.length] === ':' ? text.slice(urn.length + 1) : undefined;
}

const withExtension = (extension: string, path: AttributePath | undefined): AttributePath | undefined => path && { extension, ...path };

function resolveBare(text: string, type: ResourceType): AttributePath | undefined {
  const first = text.split('.', 1)[0]!;
  if (findByName(coreOf(type), first)) return resolveWithin(text, coreOf(type));
  const extension = type.extensions.find(({ attributes }) => findByName(attributes, first));
  return extension ? withExtension(extension.id, resolveWithin(text, extension.attributes)) : resolveWithin(text, []);
}

function resolveWithin(text: string, attributes: Attribute[]): AttributePath | undefined {
  const [first = '', second, ...others] = text.split('.');
  if (others.length > 0 || !name.test(first) || (second !== undefined && !name.test(second))) return undefined;
  const attribute = findByName(attributes, first);
  const sub = second === undefined ? undefined : (findByName(attribute?.subAttributes ?? [], second)?.name ?? second);
  return { attribute: attribute?.name ?? first, ...(sub !== undefined && { sub }) };
}

/** Indexed, because a body may contain a hundred thousand names. */
export function findByName(attributes: Attribute[], wanted: string): Attribute | undefined {
  const index = indexes.get(attributes) ?? new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
  indexes.set(attributes, index);
  return index.get(wanted.toLowerCase());
}
const indexes = new WeakMap<Attribute[], Map<string, Attribute>>();

/** Whether both are the same URN, without regard to case. */
export const isSameUrn = (text: string, urn: string) => text.length === urn.length && text.toLowerCase() === urn.toLowerCase();

/** Where a path is read: in the resource, or inside the brackets after `outer`. */
export interface Place {
  type: ResourceType;
  outer?: AttributePath;
}

/** The attribute that a path refers to, if the type has it. For a list of plain values, `value` refers to the values themselves. */
export function attributeOf(path: AttributePath, { type, outer }: Place): Attribute | undefined {
  const whole = outer ? joinPaths(outer, path) : path;
  if (!whole) return undefined;
  const found = findAttribute(whole, type);
  if (found || whole.sub !== 'value') return found;
  const holder = findAttribute(withoutSub(whole), type);
  return holder && holder.type !== 'complex' && holder.multiValued ? holder : undefined;
}

/** Inside brackets, a path names a sub-attribute in `attribute`. */
const joinPaths = (outer: AttributePath, { attribute, sub }: AttributePath): AttributePath | undefined =>
  attribute === undefined || sub !== undefined ? undefined : { ...outer, sub: attribute };

export function withoutSub({ extension, attribute }: AttributePath): AttributePath {
  return { ...(extension !== undefined && { extension }), ...(attribute !== undefined && { attribute }) };
}
