import type { Schema } from './described.ts';

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
