import type { Step } from '../../scim/filter/value-finder.ts';

/** Collects the values of a statement. The SQL contains only their names. */
export interface Parameters {
  bind(value: string | number | boolean, type: 'text' | 'numeric' | 'boolean' | 'uuid' | 'timestamptz' | 'jsonpath'): string;
  /** A new name for a row source. */
  alias(): string;
  readonly bindings: Record<string, string>;
}

/** The prefix keeps names of several compilers apart in one statement. */
export function createParameters(prefix: string): Parameters {
  const bindings: Record<string, string> = {};
  let aliases = 0;
  return {
    bindings,
    bind(value, type) {
      const name = `${prefix}${Object.keys(bindings).length}`;
      bindings[name] = String(value);
      return `cast(:${name} as ${type})`;
    },
    alias: () => `${prefix}_${aliases++}`,
  };
}

interface JsonValues {
  /** Row sources. Each refers to the one before. */
  from: string[];
  where: string[];
  /** SQL for the value of the last source. */
  value: string;
  /** The alias of each step, with the columns `value` and `position`. */
  aliases: string[];
}

/** SQL for all values that the steps find in a document, like `createFinder`. Never fails, whatever the document holds. */
export function jsonValues(document: string, steps: Step[], parameters: Parameters): JsonValues {
  const values: JsonValues = { from: [], where: [], value: document, aliases: [] };
  for (const { name, isKnown } of steps) {
    let held: string;
    if (isKnown) {
      const child = `${values.value} -> ${parameters.bind(name, 'text')}`;
      held = name === 'value' ? `case when ${isPlain(values.value)} then ${values.value} else ${child} end` : child;
    } else {
      const entry = parameters.alias();
      values.from.push(`jsonb_each(${asObject(values.value)}) as ${entry}(key, value)`);
      values.where.push(`lower(${entry}.key) = lower(${parameters.bind(name, 'text')})`);
      held = `${entry}.value`;
    }
    const alias = parameters.alias();
    // A lax jsonpath treats a value that is not an array as an array of one.
    values.from.push(`jsonb_path_query(${held}, '$[*]') with ordinality as ${alias}(value, position)`);
    values.value = `${alias}.value`;
    values.aliases.push(alias);
  }
  return values;
}

const isPlain = (value: string) => `jsonb_typeof(${value}) in ('string', 'number', 'boolean')`;

/** A plain value is its own `value`. */
const asObject = (value: string) =>
  `case when jsonb_typeof(${value}) = 'object' then ${value} when ${isPlain(value)} then jsonb_build_object('value', ${value}) end`;
