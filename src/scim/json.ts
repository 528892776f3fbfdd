export type JsonObject = { [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A null and an empty list both mean "not set" (RFC 7643, section 2.5). */
export const isUnset = (value: unknown): boolean => value === null || value === undefined || (Array.isArray(value) && value.length === 0);

/** The order of an object's names means nothing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (one === 0 && other === 0)) return true;
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => isSameJson(item, other[index]));
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}
