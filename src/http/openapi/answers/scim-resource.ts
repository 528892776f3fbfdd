import { z } from 'zod';
import type { Attribute, ResourceType } from '../../../scim/schema/attribute.ts';

/** SCIM's resources, from the very description that reads them and that `/Schemas` shows. What no schema names is let pass and kept. */
export const scimResource = ({ schema, extensions }: ResourceType, direction: 'asked' | 'answered') =>
  z.looseObject({
    ...shapeOf(schema.attributes, direction),
    ...Object.fromEntries(
      extensions.map(({ id, description, attributes }) => [
        id,
        z.looseObject(shapeOf(attributes, direction)).optional().meta({ description }),
      ]),
    ),
  });

function shapeOf(attributes: Attribute[], direction: 'asked' | 'answered'): Record<string, z.ZodType> {
  const shown = attributes.filter(({ returned, mutability }) => (direction === 'asked' ? mutability !== 'readOnly' : returned !== 'never'));
  return Object.fromEntries(shown.map((attribute) => [attribute.name, toField(attribute, direction)]));
}

/** Answers may leave out anything but the id: `attributes` and `excludedAttributes` choose. */
function toField(attribute: Attribute, direction: 'asked' | 'answered'): z.ZodType {
  const value = toValue(attribute, direction);
  const whole = attribute.multiValued ? z.array(value) : value;
  const field = attribute.required && direction === 'asked' ? whole : whole.optional();
  return field.meta({ description: attribute.description });
}

function toValue({ type, subAttributes, canonicalValues }: Attribute, direction: 'asked' | 'answered'): z.ZodType {
  if (type === 'complex') return z.looseObject(shapeOf(subAttributes ?? [], direction));
  if (type === 'boolean') return z.boolean();
  if (type === 'integer') return z.int();
  if (type === 'decimal') return z.number();
  return canonicalValues ? z.string().meta({ examples: canonicalValues }) : z.string();
}
