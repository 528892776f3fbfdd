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
