import { type DescribedDocument, type Schema, choicesOf, followRef, givenExampleOf } from './described.ts';
const maxDepth = 8;

/** A value that fits a schema, made from its examples where it has any. */
export function exampleOf(document: DescribedDocument, described: Schema | undefined, depth = 0): unknown {
  if (!described) return 'text';
  const schema = followRef(document, described);
  for (const given of [givenExampleOf(schema), schema.const, schema.default, schema.enum?.[0]]) if (given !== undefined) return given;
  const part = choicesOf(schema)[0] ?? schema.allOf?.[0];
  if (part) return exampleOf(document, part, depth);
  switch (String([schema.type].flat()[0])) {
    case 'array': {
      const { prefixItems } = schema;
      if (prefixItems) return prefixItems.map((item) => exampleOf(document, item, depth + 1));
      return depth > maxDepth ? [] : [exampleOf(document, schema.items, depth + 1)];
    }
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
      return depth > maxDepth ? {} : objectOf(document, schema, depth);
  }
}

/** The required properties; if there are none, one that has an example. Further in, also all that have an example. */
function objectOf(document: DescribedDocument, { properties = {}, required = [] }: Schema, depth: number) {
  const all = Object.entries(properties);
  const needed = all.filter(([name]) => required.includes(name));
  const withExample = all.filter(([name, one]) => required.includes(name) || givenExampleOf(one) !== undefined);
  const shown = depth > 0 ? withExample : needed.length > 0 ? needed : withExample.slice(0, 1);
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(document, schema, depth + 1)]));
}
