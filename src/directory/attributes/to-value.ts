import { getOwn, isObject } from '../../scim/json.ts';
import type { AttributeType } from './attribute.ts';

const maxTextLength = 1_000;

/** The value as one of this type; undefined if it is none. A text may contain a number or a date. An object is its `value`. */
export function toValue(type: AttributeType, found: unknown): unknown {
  if (type === 'object') return isObject(found) ? found : undefined;
  const value = isObject(found) ? getOwn(found, 'value') : found;
  switch (type) {
    case 'string':
      return toText(value);
    case 'number':
      return typeof value === 'number' || isNumeric(value) ? toFinite(Number(value)) : undefined;
    case 'boolean':
      return toBoolean(value);
    case 'date':
      return toDay(value);
  }
}

function toText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxTextLength ? value : undefined;
}

const isNumeric = (value: unknown) => typeof value === 'string' && value.length <= 40 && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
const toFinite = (value: number) => (Number.isFinite(value) ? value : undefined);

function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const lower = typeof value === 'string' && value.length <= 5 ? value.toLowerCase() : undefined;
  return lower === 'true' ? true : lower === 'false' ? false : undefined;
}

/** The day as it is written: without regard to the zone of a time. */
function toDay(value: unknown): string | undefined {
  const [, day] = (typeof value === 'string' && value.length <= 40 && /^\s*(\d{4}-\d\d-\d\d)(?:[T ].*|\s*)$/.exec(value)) || [];
  if (day === undefined) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== day ? undefined : day;
}
