/** Collects the values of a statement; what stands in the SQL is their names only. */
export interface Parameters {
  bind(value: string | number | boolean, type: 'text' | 'numeric' | 'boolean' | 'uuid' | 'timestamptz' | 'jsonpath'): string;
  /** A new name for a row source. */
  alias(): string;
  readonly bindings: Record<string, string>;
}

/** The prefix keeps apart what several compilers contribute to one statement. */
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
