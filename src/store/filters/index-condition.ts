import type { Filter } from '../../scim/filter/filter.ts';
import type { AttributePath, ResourceType } from '../../scim/schema/attribute.ts';
import { foldCase } from '../../scim/text.ts';
import type { Parameters } from './parameters.ts';
import { toResourceKey } from '../../directory/resources/resource-ids.ts';

type IndexCondition = (value: string, parameters: Parameters) => string;

/** Conditions that an index serves. Each holds for all rows that match the filter, and for few other rows. */
const indexConditions: Record<ResourceType['name'], Map<string, IndexCondition>> = {
  User: new Map([
    [
      'emails',
      (value, parameters) => `exists (select from user_emails i
      where i.directory_id = u.directory_id and i.user_id = u.id and i.value_key = ${parameters.bind(foldCase(value), 'text')})`,
    ],
    [
      'groups',
      (value, parameters) => `exists (select from group_members i
      where i.directory_id = u.directory_id and i.member_id = u.id and i.group_id = ${parameters.bind(toResourceKey(value), 'uuid')})`,
    ],
  ]),
  Group: new Map([
    [
      'members',
      (value, parameters) => `exists (select from (select directory_id, group_id from group_members
        where member_id = ${parameters.bind(toResourceKey(value), 'uuid')} union all select directory_id, group_id from pending_members
        where value_key = ${parameters.bind(foldCase(value), 'text')}) i
      where i.directory_id = g.directory_id and i.group_id = g.id)`,
    ],
  ]),
};

/** Returns the indexed condition that `emails.value eq "…"` or `emails[type eq "work" and value eq "…"]` implies, if there is one. */
export function toIndexCondition(filter: Filter, type: ResourceType, parameters: Parameters): string | undefined {
  const found = findIndexCondition(filter, type);
  return found?.condition(found.value, parameters);
}

export const hasIndexCondition = (filter: Filter, type: ResourceType): boolean => findIndexCondition(filter, type) !== undefined;

function findIndexCondition(filter: Filter, type: ResourceType): { condition: IndexCondition; value: string } | undefined {
  if (filter.kind !== 'compare' && filter.kind !== 'element') return undefined;
  const { path } = filter;
  const found = path.extension === undefined && path.attribute !== undefined ? indexConditions[type.name].get(path.attribute) : undefined;
  if (!found) return undefined;
  const value = filter.kind === 'compare' ? valueOfComparison(filter, path.sub) : valueWithin(filter.filter);
  return value === undefined ? undefined : { condition: found, value };
}

function valueWithin(filter: Filter): string | undefined {
  if (filter.kind === 'compare') return valueOfComparison(filter, plainName(filter.path));
  if (filter.kind !== 'and') return undefined;
  for (const term of filter.terms) {
    const value = valueWithin(term);
    if (value !== undefined) return value;
  }
  return undefined;
}

const plainName = ({ extension, attribute, sub }: AttributePath) => (extension === undefined && sub === undefined ? attribute : undefined);

const valueOfComparison = ({ operator, value }: Filter & { kind: 'compare' }, name: string | undefined) =>
  name === 'value' && operator === 'eq' && typeof value === 'string' ? value : undefined;
