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
  return (value) => {
    let found = [value];
    for (const step of steps) {
      const next: unknown[] = [];
      for (const holder of found) follow(holder, step, next);
      found = next;
    }
    return found;
  };
}

function follow(holder: unknown, { name, lower, isKnown }: Step & { lower: string }, found: unknown[]): void {
  if (typeof holder !== 'object') {
    if (lower === 'value') found.push(holder);
  } else if (!isObject(holder)) return;
  else if (isKnown) collect(holder[name], found);
  else for (const key of Object.keys(holder)) if (key.length === name.length && key.toLowerCase() === lower) collect(holder[key], found);
}

function collect(value: unknown, found: unknown[]): void {
  if (!Array.isArray(value)) return void (isNothing(value) || found.push(value));
  for (const item of value as unknown[]) if (!isNothing(item)) found.push(item);
}

const isNothing = (value: unknown) => value === null || value === undefined;
