import type { DescribedDocument, Schema } from './described.ts';

/** Resolves a reference to `#/components/…`. */
export function followRef<Part extends object>(document: DescribedDocument, part: Part): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part;
  const found = part.$ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((place, name) => (place as Record<string, unknown> | undefined)?.[name], document);
  if (typeof found !== 'object' || found === null) throw new Error(`The document refers to ${part.$ref}, which does not exist.`);
  return followRef(document, found as Part);
}

export const choicesOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

/** The description of a schema may be that of one of its choices, for example beside null. */
export const descriptionOf = (schema: Schema | undefined): string | undefined =>
  schema && (schema.description ?? choicesOf(schema).map(descriptionOf).find(Boolean));

export const givenExampleOf = (schema: Schema | undefined): unknown =>
  schema?.examples
    ? schema.examples[0]
    : schema &&
      choicesOf(schema)
        .map(givenExampleOf)
        .find((example) => example !== undefined);

/** The variants of an object that has several. */
export const variantsOf = (schema: Schema): Schema[] => {
  const objects = choicesOf(schema).filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return objects.length > 1 ? objects : [];
};
