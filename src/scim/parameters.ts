import { invalidSyntax } from './errors.ts';

/** A query's parameters, each with all that it was given. Their names know no case: an overlooked `Filter` would give everybody. */
export function readParameters(query: object): Map<string, unknown[]> {
  const parameters = new Map<string, unknown[]>();
  for (const [name, value] of Object.entries(query)) {
    const values = parameters.get(name.toLowerCase()) ?? [];
    if (value !== undefined) parameters.set(name.toLowerCase(), [...values, ...(Array.isArray(value) ? value : [value])]);
  }
  return parameters;
}

/** The value of a parameter that has one, though it may be there twice. */
export function readOne(parameters: Map<string, unknown[]>, name: string): unknown {
  const values = new Set(parameters.get(name.toLowerCase()));
  if (values.size > 1) throw invalidSyntax(`${name} is there twice, with different values.`);
  return [...values][0];
}
