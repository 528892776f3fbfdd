import type { Filter } from '../../scim/filter/filter.ts';
import type { AttributePath, ResourceType } from '../../scim/schema/attribute.ts';
import { foldCase } from '../../scim/text.ts';
import type { Parameters } from './parameters.ts';
import { canonicalUuid } from './attribute-source.ts';

type LookUp = (value: string, parameters: Parameters) => string;

/** Conditions that an index answers. They hold for every row that has the value, and for few others. */
const lookUps: Record<ResourceType['name'], Map<string, LookUp>> = {
  User: new Map([
    [
      'emails',
      (value, parameters) => `exists (select from user_emails i
      where i.directory_id = u.directory_id and i.user_id = u.id and i.value_key = ${parameters.bind(foldCase(value), 'text')})`,
    ],
    [
      'groups',
      (value, parameters) =>
        canonicalUuid.test(value.toLowerCase())
          ? `exists (select from group_members i
      where i.directory_id = u.directory_id and i.member_id = u.id and i.group_id = ${parameters.bind(value, 'uuid')})`
          : 'false',
    ],
  ]),
  Group: new Map([
    [
      'members',
      (value, parameters) => `exists (select from (${
        canonicalUuid.test(value.toLowerCase())
          ? `select directory_id, group_id from group_members
        where member_id = ${parameters.bind(value, 'uuid')} union all `
          : ''
      }select directory_id, group_id from parked_members
        where value_key = ${parameters.bind(foldCase(value), 'text')}) i
      where i.directory_id = g.directory_id and i.group_id = g.id)`,
    ],
  ]),
};

/** The index's part in `emails.value eq "…"` and in `emails[type eq "work" and value eq "…"]`, if there is one. */
export function lookUp(filter: Filter, type: ResourceType, parameters: Parameters): string | undefined {
  const sought = findLookUp(filter, type);
  return sought?.lookUp(sought.value, parameters);
}

export const hasLookUp = (filter: Filter, type: ResourceType): boolean => findLookUp(filter, type) !== undefined;

function findLookUp(filter: Filter, type: ResourceType): { lookUp: LookUp; value: string } | undefined {
  if (filter.kind !== 'compare' && filter.kind !== 'element') return undefined;
  const { path } = filter;
  const found = path.extension === undefined && path.attribute !== undefined ? lookUps[type.name].get(path.attribute) : undefined;
  if (!found) return undefined;
  const value = filter.kind === 'compare' ? soughtValue(filter, path.sub) : valueWithin(filter.filter);
  return value === undefined ? undefined : { lookUp: found, value };
}

function valueWithin(filter: Filter): string | undefined {
  if (filter.kind === 'compare') return soughtValue(filter, plainName(filter.path));
  if (filter.kind !== 'and') return undefined;
  for (const term of filter.terms) {
    const value = valueWithin(term);
    if (value !== undefined) return value;
  }
  return undefined;
}

const plainName = ({ extension, attribute, sub }: AttributePath) => (extension === undefined && sub === undefined ? attribute : undefined);

const soughtValue = ({ operator, value }: Filter & { kind: 'compare' }, name: string | undefined) =>
  name === 'value' && operator === 'eq' && typeof value === 'string' ? value : undefined;
