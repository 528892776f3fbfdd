import type { ReadSet } from '../../directory/changes/read-set.ts';
import { boundValues, lookUpRows, type Lookup } from '../sql/look-up-rows.ts';
import { toArrayLiteral } from '../sql/statement-parts.ts';

interface UnusedCondition {
  name: string;
  sql: string;
  bindings: Record<string, string>;
}

/** The condition that no user has one of the names of new users, and that no group waits for one of them. */
export function areUnused({ userNameKeys, userExternalIds, arriving }: ReadSet): UnusedCondition | undefined {
  const lookups = [
    toLookup('userNameKeys', { table: 'users', column: 'user_name_key' }, userNameKeys),
    toLookup('userExternalIds', { table: 'users', column: 'external_id' }, userExternalIds),
    toLookup('arriving', { table: 'pending_members', column: 'value_key' }, arriving),
  ].filter(({ names }) => names.size > 0);
  if (lookups.length === 0) return undefined;
  return {
    name: `-unused(${lookups.map(({ binding }) => binding).join()})`,
    sql: lookups.map(({ sql }) => ` and not exists (select from ${sql})`).join(''),
    bindings: Object.fromEntries(lookups.map(({ binding, names }) => [binding, toArrayLiteral([...names])])),
  };
}

const toLookup = (binding: string, where: Pick<Lookup, 'table' | 'column'>, names: Set<string>) => ({
  binding,
  names,
  sql: lookUpRows({ ...where, values: boundValues(binding, 'text') }),
});
