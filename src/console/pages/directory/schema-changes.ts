import type { AttributeSchema, AttributeSchemaRequest } from '../../../client/generated/types.ts';

type Stored = AttributeSchema['attributes'];
type Requested = AttributeSchemaRequest['attributes'];

/** Their types are fixed, and need not be sent. */
const predefined: ReadonlySet<string> = new Set([
  'job_title',
  'department_name',
  'manager_email',
  'employee_number',
  'employment_start_date',
  'cost_center_name',
  'division_name',
  'organization',
  'employee_type',
  'addresses',
  'emails',
  'username',
]);

/** The type of an attribute in words; empty for a predefined one whose type is not known here. */
export const describeAttribute = ({ type, multi_valued: isList, required }: Requested[number]): string =>
  [...(type === undefined ? [] : [isList ? `list of ${type}` : type]), ...(required ? ['required'] : [])].join(', ');

const withType = (attribute: Requested[number]): string => [attribute.name, describeAttribute(attribute)].filter(Boolean).join(': ');

/** What differs, in sentences; empty if nothing does. */
export function describeSchemaChange(stored: Stored, requested: Requested): string[] {
  const former = new Map(stored.map((attribute) => [attribute.name, attribute]));
  const names = new Set(requested.map(({ name }) => name));
  const changes = requested.flatMap((attribute) => {
    const before = former.get(attribute.name);
    if (!before) return [`Adds ${withType(attribute)}`];
    const after = predefined.has(attribute.name) ? { ...before, ...attribute } : attribute;
    const described = describeAttribute(after);
    if (described === describeAttribute(before)) return [];
    return [
      `Changes ${withType(before)} to ${after.type === undefined ? ['predefined', described].filter(Boolean).join(', ') : described}`,
    ];
  });
  const removed = stored.filter(({ name }) => !names.has(name)).map(({ name }) => `Removes ${name}`);
  const kept = stored.filter(({ name }) => names.has(name)).map(({ name }) => name);
  const order = requested.filter(({ name }) => former.has(name)).map(({ name }) => name);
  return [...changes, ...removed, ...(kept.join() === order.join() ? [] : ['Changes the order'])];
}
