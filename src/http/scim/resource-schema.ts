import { z } from 'zod';
import type { Attribute, ResourceType } from '../../scim/schema/attribute.ts';

/** Built from the same definitions that read resources and that `/Schemas` shows. Attributes that no schema defines are allowed. */
export const createResourceSchema = ({ schema, extensions }: ResourceType, direction: 'request' | 'response') =>
  z.looseObject({
    ...shapeOf(schema.attributes, direction),
    ...Object.fromEntries(
      extensions.map(({ id, description, attributes }) => [
        id,
        z.looseObject(shapeOf(attributes, direction)).optional().meta({ description }),
      ]),
    ),
  });

function shapeOf(attributes: Attribute[], direction: 'request' | 'response'): Record<string, z.ZodType> {
  const shown = attributes.filter(({ returned, mutability }) =>
    direction === 'request' ? mutability !== 'readOnly' : returned !== 'never',
  );
  return Object.fromEntries(shown.map((attribute) => [attribute.name, toField(attribute, direction)]));
}

/** Responses may lack everything but the id: `attributes` and `excludedAttributes` select. */
function toField(attribute: Attribute, direction: 'request' | 'response'): z.ZodType {
  const value = toValue(attribute, direction);
  const whole = attribute.multiValued ? z.array(value) : value;
  const field = attribute.required && direction === 'request' ? whole : whole.optional();
  return field.meta({ description: attribute.description });
}

function toValue({ type, subAttributes, canonicalValues }: Attribute, direction: 'request' | 'response'): z.ZodType {
  if (type === 'complex') return z.looseObject(shapeOf(subAttributes ?? [], direction));
  if (type === 'boolean') return z.boolean();
  if (type === 'integer') return z.int();
  if (type === 'decimal') return z.number();
  return canonicalValues ? z.string().meta({ examples: canonicalValues }) : z.string();
}
