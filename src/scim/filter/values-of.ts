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

/** Finds all that a path means within a value: lists are taken apart at each step, and nulls are nothing. */
export function createFinder(path: AttributePath, place: Place): (value: unknown) => unknown[] {
  const steps = stepsOf(path, place).map((step) => ({ ...step, lower: step.name.toLowerCase() }));
  const [only, ...others] = steps;
  if (only && others.length === 0) return (value) => follow(value, only);
  return (value) => steps.reduce<unknown[]>((found, step) => found.flatMap((holder) => follow(holder, step)), [value]);
}

function follow(holder: unknown, { name, lower, isKnown }: Step & { lower: string }): unknown[] {
  const isPlain = typeof holder !== 'object';
  if (isPlain) return lower === 'value' ? [holder] : [];
  if (!isObject(holder)) return [];
  if (isKnown) return toList(holder[name]);
  return Object.entries(holder).flatMap(([key, value]) => (key.length === name.length && key.toLowerCase() === lower ? toList(value) : []));
}

function toList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.filter((item) => item !== null && item !== undefined);
  return value === null || value === undefined ? [] : [value];
}
