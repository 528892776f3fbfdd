import { isObject } from '../json.ts';
import type { AttributePath } from '../schema/attribute.ts';
import { type Place, attributeOf } from '../schema/resolve-path.ts';

export interface Step {
  name: string;
  /** Whether the type knows the name, and so defines its spelling. Unknown names are compared without case. */
  isKnown: boolean;
}

/** The names to follow from the place to the value of the path. */
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
 * Returns a function that checks whether one of the values of the path passes a test. Lists are searched at each step, and nulls are
 * skipped. It creates no lists, because a filter may be tested on 100,000 values.
 */
export function createValueFinder(path: AttributePath, place: Place & { keysOf: KeysOf }): (value: unknown, test: Test) => boolean {
  const steps = stepsOf(path, place).map((step) => ({ ...step, lower: step.name.toLowerCase(), keysOf: place.keysOf }));
  return (value, test) => findFrom(value, steps, 0, test);
}

type FinderStep = Step & { lower: string; keysOf: KeysOf };

export type KeysOf = (object: object) => string[];

/** Caches the names of the last object: listing thousands takes milliseconds, and each term of a filter asks for the same object. */
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
