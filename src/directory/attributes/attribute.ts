import { AppError } from '../../errors.ts';

/** `date` is a day, like `2026-01-31`. `object` is kept as the identity provider sent it. */
export const attributeTypes = ['string', 'number', 'boolean', 'date', 'object'] as const;
export type AttributeType = (typeof attributeTypes)[number];

/** What an application wants to know of each user. */
export interface CustomAttribute {
  name: string;
  type: AttributeType;
  /** A list of all values. Otherwise it is one value. */
  multiValued: boolean;
  /** Users without it are counted in the health of their directory. */
  required: boolean;
}

/** The attributes of a product. */
export type AttributeSchema = CustomAttribute[];

/** The attributes that every product can have by their names. They are mapped without a mapping. */
const predefinedTypes = {
  job_title: 'string',
  department_name: 'string',
  manager_email: 'string',
  employee_number: 'string',
  employment_start_date: 'date',
  cost_center_name: 'string',
  division_name: 'string',
  organization: 'string',
  employee_type: 'string',
  addresses: 'object',
  emails: 'object',
  username: 'string',
} as const satisfies Record<string, AttributeType>;
export type PredefinedName = keyof typeof predefinedTypes;

const isPredefined = (name: string): name is PredefinedName => Object.hasOwn(predefinedTypes, name);
const isList = (name: PredefinedName) => predefinedTypes[name] === 'object';

export const maxAttributes = 50;

export interface RequestedAttribute {
  name: string;
  type?: AttributeType | undefined;
  multiValued?: boolean | undefined;
  required?: boolean | undefined;
}

/** Rejects names that are used twice, and types that a predefined attribute does not have. */
export function toAttributeSchema(requested: RequestedAttribute[]): AttributeSchema {
  const names = new Set<string>();
  return requested.map(({ name, type, multiValued, required = false }, index) => {
    const field = `attributes.${index}`;
    if (names.has(name)) throw invalid(`${field}.name`, `is used twice: ${name}`);
    names.add(name);
    if (!isPredefined(name)) {
      if (type === undefined) throw invalid(`${field}.type`, `is required: ${name} is not a predefined attribute`);
      return { name, type, multiValued: multiValued ?? false, required };
    }
    const fixed = { type: predefinedTypes[name], multiValued: isList(name) };
    if (type !== undefined && type !== fixed.type)
      throw invalid(`${field}.type`, `must be ${fixed.type}: ${name} is a predefined attribute`);
    if (multiValued !== undefined && multiValued !== fixed.multiValued)
      throw invalid(`${field}.multi_valued`, `must be ${fixed.multiValued}: ${name} is a predefined attribute`);
    return { name, ...fixed, required };
  });
}

/** The names whose values would no longer be what they were: mappings must not name them. */
export function findIncompatible(former: AttributeSchema, next: AttributeSchema): string[] {
  const byName = new Map(next.map((attribute) => [attribute.name, attribute]));
  return former
    .filter(({ name, type, multiValued }) => byName.get(name)?.type !== type || byName.get(name)?.multiValued !== multiValued)
    .map(({ name }) => name);
}

export const invalid = (field: string, problem: string) => new AppError('invalid_request', `${field} ${problem}.`, { field });
