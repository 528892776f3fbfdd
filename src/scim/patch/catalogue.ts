import { isObject, isSameJson } from '../json.ts';
import { getOwn } from '../properties.ts';
import type { Budget } from '../budget.ts';
import { weigh } from '../weigh.ts';

type Catalogue = ReturnType<typeof createCatalogue>;
export type Catalogues = WeakMap<unknown[], Catalogue>;

/** Finds what a list has already. It looks among those of the same `value` only: lists may be long. */
export function createCatalogue(values: unknown[], { ignored, budget }: { ignored: string | undefined; budget: Budget }) {
  const alike = new Map<string | null, unknown[]>();
  const note = (value: unknown) => {
    const group = alike.get(keyOf(value));
    if (group) group.push(value);
    else alike.set(keyOf(value), [value]);
  };
  budget.spend(12 * values.length);
  for (const value of values) note(value);
  const identify = (value: unknown) =>
    ignored !== undefined && isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== ignored)) : value;

  return {
    note,
    find(value: unknown): unknown {
      const group = alike.get(keyOf(value)) ?? [];
      // Each comparison looks at the names of both.
      budget.spend(weigh(value) * (1 + group.length) + weigh(group));
      const wanted = identify(value);
      return group.find((one) => isSameJson(identify(one), wanted));
    },
  };
}

function keyOf(value: unknown): string | null {
  const key = isObject(value) ? getOwn(value, 'value') : value;
  // Not as a number: how a map places numbers can be told beforehand, and many can be made to fall into one place.
  if (typeof key === 'object') return null;
  // Long ones are compared in the end, which the budget counts.
  return typeof key === 'string' && key.length > maxKey ? `long ${key.length} ${key.slice(0, maxKey)}` : `${typeof key} ${key as string}`;
}
const maxKey = 200;
