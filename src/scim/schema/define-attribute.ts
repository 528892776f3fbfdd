import type { Attribute, AttributeType } from './attribute.ts';

type Traits = Partial<Omit<Attribute, 'name' | 'type' | 'description' | 'subAttributes'>>;

/** Default characteristics (RFC 7643, section 2.2). */
const usual = {
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
} as const satisfies Traits;

const attribute =
  (type: AttributeType) =>
  (name: string, description: string, traits: Traits = {}): Attribute => ({ name, type, description, ...usual, ...traits });

export const string = attribute('string');
export const boolean = attribute('boolean');
export const dateTime = attribute('dateTime');
export const binary = (name: string, description: string, traits: Traits = {}) =>
  attribute('binary')(name, description, { caseExact: true, ...traits });
export const reference = (name: string, description: string, referenceTypes: string[], traits: Traits = {}) =>
  attribute('reference')(name, description, { caseExact: true, referenceTypes, ...traits });

export const complex = (name: string, description: string, subAttributes: Attribute[], traits: Traits = {}): Attribute => ({
  ...attribute('complex')(name, description, traits),
  subAttributes,
});

/** A multi-valued attribute with a label, a type and a primary flag (RFC 7643, section 2.4). */
export const list = (name: string, description: string, value: Attribute, types: string[] = []) =>
  complex(
    name,
    description,
    [
      value,
      string('display', 'A human-readable name.'),
      string('type', 'What the value is for.', types.length > 0 ? { canonicalValues: types } : {}),
      boolean('primary', 'Whether this is the primary value; at most one is.'),
    ],
    { multiValued: true },
  );
