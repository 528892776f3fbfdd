import { isObject } from '../json.ts';
import type { AttributePath } from '../schema/attribute.ts';
import { attributeOf, type Place } from './attribute-of.ts';

export interface Step {
  name: string;
  /** It is spelled as the type spells it; otherwise its case says nothing. */
  isKnown: boolean;
}

/** The names to follow, one in the other, from the place to what the path means. */
export function stepsOf(path: AttributePath, place: Place): Step[] {
  const { extension, attribute, sub } = path;
  const steps: Step[] = [];
  if (extension !== undefined) steps.push({ name: extension, isKnown: place.type.extensions.some(({ id }) => id === extension) });
  if (attribute !== undefined) {
    const whole = sub === undefined ? path : { ...(extension !== undefined && { extension }), attribute };
    steps.push({ name: attribute, isKnown: attributeOf(whole, place) !== undefined });
  }
  if (sub !== undefined) steps.push({ name: sub, isKnown: attributeOf(path, place) !== undefined });
  return steps;
}

/** All that a path finds: lists are taken apart at each step, and nulls are nothing. */
export function valuesOf(value: unknown, path: AttributePath, place: Place): unknown[] {
  return stepsOf(path, place).reduce<unknown[]>((found, step) => found.flatMap((holder) => follow(holder, step)), [value]);
}

function follow(holder: unknown, { name, isKnown }: Step): unknown[] {
  const isPlain = typeof holder !== 'object';
  if (isPlain) return name.toLowerCase() === 'value' ? [holder] : [];
  if (!isObject(holder)) return [];
  if (isKnown) return toList(holder[name]);
  const lower = name.toLowerCase();
  return Object.entries(holder).flatMap(([key, value]) => (key.toLowerCase() === lower ? toList(value) : []));
}

const toList = (value: unknown): unknown[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => item !== null && item !== undefined);
