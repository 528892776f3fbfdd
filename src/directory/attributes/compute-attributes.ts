import { createBudget } from '../../scim/budget.ts';
import { OverBudgetError } from '../../scim/errors.ts';
import { isSameJson, type JsonObject, setOwn } from '../../scim/json.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import { createRecentMap } from '../../shared/recent-map.ts';
import type { DirectoryType } from '../directories/directory.ts';
import type { AttributeSchema, CustomAttribute } from './attribute.ts';
import { defaultSourcesOf } from './default-sources.ts';
import { createFindValues, createReading, type FindValues, type Reading } from './find-values.ts';
import { type AttributeMapping, type LetterCase, type Origin, parseSourcePath, type Source } from './source.ts';
import { toValue } from './to-value.ts';

/** What the attributes of a directory's users follow from. */
export interface AttributeRules {
  type: DirectoryType;
  schema: AttributeSchema;
  mapping: AttributeMapping;
}

interface ComputedAttributes {
  customAttributes: JsonObject;
  /** The required attributes without a value. */
  missing: string[];
  /** The work that it took. */
  steps: number;
}

export type ComputeAttributes = (resource: JsonObject) => ComputedAttributes;

const maxValues = 50;
/** Of one user, as JSON. An attribute that does not fit is left out. */
export const maxAttributeBytes = 16_384;
/**
 * The work for one user, about 5 ms. An attribute that would take more is left out. It depends on nothing but the user and the rules, so
 * all ways to a user lead to the same attributes, and no change is rejected because of a mapping.
 */
export const maxStepsPerUser = 25_000;
const maxCompiled = 500;
/** Of their keys, in characters: the rules are in them. */
const maxCompiledSize = 4_194_304;
let compiled = createRecentMap<ComputeAttributes>(maxCompiled);
let compiledSize = 0;

/** The function is kept: each change of a directory asks for it. */
export function toComputeAttributes(rules: AttributeRules): ComputeAttributes {
  const key = JSON.stringify([rules.type, rules.schema, rules.mapping]);
  const known = compiled.get(key);
  if (known) return known;
  const compute = compileAttributes(rules);
  compiledSize += key.length;
  if (compiledSize > maxCompiledSize) {
    compiled = createRecentMap(maxCompiled);
    compiledSize = key.length;
  }
  compiled.set(key, compute);
  return compute;
}

/** The attributes that have a source in a directory, with it: that of the mapping, or the default. */
export function sourcesOf({ type, schema, mapping }: AttributeRules): Map<string, Source> {
  const defaults = defaultSourcesOf(type);
  return new Map(
    schema.flatMap(({ name }): [string, Source][] => {
      const source = Object.hasOwn(mapping, name) ? mapping[name] : Object.hasOwn(defaults, name) ? defaults[name] : undefined;
      return source ? [[name, source]] : [];
    }),
  );
}

export function compileAttributes(rules: AttributeRules): ComputeAttributes {
  const sources = sourcesOf(rules);
  const readers = rules.schema.map((attribute) => ({ attribute, read: createReader(attribute, sources.get(attribute.name)) }));
  return (resource) => {
    const budget = createBudget({ maxSteps: maxStepsPerUser, maxBytes: Infinity });
    const reading = createReading(budget);
    const customAttributes: JsonObject = {};
    const missing: string[] = [];
    let bytes = 2;
    for (const { attribute, read } of readers) {
      const found = withinBudget(() => measured(read(resource, reading), reading));
      const size = found === undefined ? 0 : attribute.name.length + 4 + found.bytes;
      if (found !== undefined && bytes + size <= maxAttributeBytes) {
        bytes += size;
        setOwn(customAttributes, attribute.name, found.value);
      } else if (attribute.required) missing.push(attribute.name);
    }
    return { customAttributes, missing, steps: budget.spent().steps };
  };
}

/** Once the budget is used up, everything that spends of it throws. */
function withinBudget<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    return undefined;
  }
}

/** Spends the same whether the value was measured before or not. */
function measured(value: unknown, { budget }: Reading): { value: unknown; bytes: number } | undefined {
  if (value === undefined) return undefined;
  const { bytes, values } = sizeOf({ value });
  budget.spend(2 * values + (bytes >> 6));
  return { value, bytes };
}

type ReadAttribute = (resource: JsonObject, reading: Reading) => unknown;

function createReader({ type, multiValued }: CustomAttribute, source: Source | undefined): ReadAttribute {
  if (!source) return () => undefined;
  const origins = ('first_of' in source ? source.first_of : [source]).map(createFind);
  return (resource, reading) => {
    for (const find of origins) {
      const values = find(resource, reading);
      reading.budget.spend(values.length + 1);
      const fitting = values.flatMap((value) => {
        const one = toValue(type, value);
        return one === undefined ? [] : [withCase(one, source.case)];
      });
      if (fitting.length > 0) return multiValued ? fitting.slice(0, maxValues) : fitting[0];
    }
    return undefined;
  };
}

const createFind = (origin: Origin): FindValues =>
  'constant' in origin ? () => [origin.constant] : createFindValues(parseSourcePath(origin.path));

function withCase(value: unknown, letterCase: LetterCase | undefined): unknown {
  if (typeof value !== 'string' || letterCase === undefined) return value;
  return letterCase === 'lower' ? value.toLowerCase() : value.toUpperCase();
}

/** Whether an application would see no difference. A user without attributes looks like one whose attributes have no values. */
export const isSameAttributes = (one: JsonObject | undefined, other: JsonObject | undefined): boolean => isSameJson(one ?? {}, other ?? {});
