import { choicesOf, givenExampleOf } from './choices.ts';
import type { DescribedDocument, Schema } from './described.ts';
import { follow } from './list-operations.ts';

/** Something that fits a schema, of the examples in it where there are any. */
export function exampleOf(document: DescribedDocument, described: Schema | undefined, depth = 0): unknown {
  if (!described) return 'text';
  const schema = follow(document, described);
  const given = givenExampleOf(schema) ?? schema.const ?? schema.default ?? schema.enum?.[0];
  if (given !== undefined) return given;
  const part = choicesOf(schema)[0] ?? schema.allOf?.[0];
  if (part) return exampleOf(document, part, depth);
  switch (String([schema.type].flat()[0])) {
    case 'array':
      return depth > 3 ? [] : [exampleOf(document, schema.items, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'string':
      return schema.format === 'date-time' ? '2027-11-21T08:43:54Z' : 'text';
    default:
      return depth > 3 ? {} : objectOf(document, schema, depth);
  }
}

/** What is required; where nothing is, one that has an example. Further in, all that have one. */
function objectOf(document: DescribedDocument, { properties = {}, required = [] }: Schema, depth: number) {
  const named = Object.entries(properties);
  const needed = named.filter(([name]) => required.includes(name));
  const told = named.filter(([name, one]) => required.includes(name) || givenExampleOf(one) !== undefined);
  const shown = depth > 0 ? told : needed.length > 0 ? needed : told.slice(0, 1);
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(document, schema, depth + 1)]));
}
