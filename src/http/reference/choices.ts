import type { Schema } from './described.ts';

export const choicesOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

/** What is said of a schema may stand at one of its choices: beside null, for instance. */
export const descriptionOf = (schema: Schema | undefined): string | undefined =>
  schema && (schema.description ?? choicesOf(schema).map(descriptionOf).find(Boolean));

export const givenExampleOf = (schema: Schema | undefined): unknown =>
  schema &&
  (schema.examples?.[0] ??
    choicesOf(schema)
      .map(givenExampleOf)
      .find((example) => example !== undefined));

/** The forms of an object that has several. */
export const variantsOf = (schema: Schema): Schema[] => {
  const objects = choicesOf(schema).filter(({ properties = {} }) => Object.keys(properties).length > 0);
  return objects.length > 1 ? objects : [];
};
