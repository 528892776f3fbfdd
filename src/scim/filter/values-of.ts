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

type Test = (value: unknown) => boolean;

/**
 * Says whether one of the values that a path means fulfils a test: lists are taken apart at each step, and nulls are nothing. Without making
 * lists of them: a filter may be tried on 100,000 values.
 */
export function createValueFinder(path: AttributePath, place: Place & { keysOf: KeysOf }): (value: unknown, test: Test) => boolean {
  const steps = stepsOf(path, place).map((step) => ({ ...step, lower: step.name.toLowerCase(), keysOf: place.keysOf }));
  return (value, test) => findFrom(value, steps, 0, test);
}

type FinderStep = Step & { lower: string; keysOf: KeysOf };

export type KeysOf = (object: object) => string[];

/** To list the names of an object that has thousands takes milliseconds, and each term of a filter asks for those of the same object. */
export function createKeysOf(): KeysOf {
  let last: object | undefined;
  let keys: string[] = [];
  return (object) => {
    if (object !== last) [last, keys] = [object, Object.keys(object)];
    return keys;
  };
}

function findFrom(holder: unknown, steps: FinderStep[], at: number, test: Test): boolean {
  const step = steps[at];
  if (!step) return test(holder);
  const { name, lower, isKnown, keysOf } = step;
  if (typeof holder !== 'object') return lower === 'value' && findFrom(holder, steps, at + 1, test);
  if (!isObject(holder)) return false;
  if (isKnown) return findIn(holder[name], steps, at + 1, test);
  for (const key of keysOf(holder))
    if (key.length === name.length && (key === name || key.toLowerCase() === lower) && findIn(holder[key], steps, at + 1, test))
      return true;
  return false;
}

function findIn(value: unknown, steps: FinderStep[], at: number, test: Test): boolean {
  if (!Array.isArray(value)) return !isNothing(value) && findFrom(value, steps, at, test);
  for (const item of value as unknown[]) if (!isNothing(item) && findFrom(item, steps, at, test)) return true;
  return false;
}

const isNothing = (value: unknown) => value === null || value === undefined;
