import type { Attribute, AttributePath } from '../schema/attribute.ts';
import { resolvePath } from '../schema/resolve-path.ts';
import { attributeOf, withoutSub, type Place } from './attribute-of.ts';
import type { Reader } from './reader.ts';

export interface ResolvedName {
  /** As written, shortened for messages. */
  name: string;
  path: AttributePath;
  outer: AttributePath | undefined;
  attribute: Attribute | undefined;
}

export function readAttribute(reader: Reader, place: Place): ResolvedName {
  const written = reader.readName();
  const name = written.slice(0, 60).toWellFormed();
  const path = written === '' ? undefined : place.outer ? resolveWithin(written, place) : resolvePath(written, place.type);
  if (!path) throw reader.error(place.outer ? 'expected the name of a sub-attribute.' : 'expected the name of an attribute.');
  if (path.sub !== undefined && isPlain(attributeOf(withoutSub(path), place)) && !attributeOf(path, place))
    throw reader.error(`${name} does not exist: the attribute has no sub-attributes.`);
  return { name, path, outer: place.outer, attribute: attributeOf(path, place) };
}

/** Brackets may follow only complex or multi-valued attributes. */
export function assertBracketsAllowed(reader: Reader, { name, path, attribute }: ResolvedName): void {
  if (path.attribute === undefined || path.sub !== undefined || (isPlain(attribute) && !attribute?.multiValued))
    throw reader.error(`brackets cannot follow ${name}.`);
}

function resolveWithin(name: string, { type, outer }: Place): AttributePath | undefined {
  const whole = resolvePath(`${outer!.extension === undefined ? '' : `${outer!.extension}:`}${outer!.attribute}.${name}`, type);
  const isWithin = whole?.sub !== undefined && whole.extension === outer!.extension && whole.attribute === outer!.attribute;
  return isWithin ? { attribute: whole.sub! } : undefined;
}

const isPlain = (attribute: Attribute | undefined) => attribute !== undefined && attribute.type !== 'complex';
