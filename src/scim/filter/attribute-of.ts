import type { Attribute, AttributePath, ResourceType } from '../schema/attribute.ts';
import { findAttribute } from '../schema/resolve-path.ts';

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
