import type { Wanted } from '../../directory/changes/wanted.ts';
import { isId } from '../../ids.ts';
import { foldCase } from '../../scim/text.ts';
import { boundValues, lookUpRows } from '../sql/lookup.ts';
import type { Part } from '../sql/statement-parts.ts';

/** Everybody who goes by one of the names that matter: those that must be free, and those that members are called by. */
export function namePart(wanted: Wanted): Part | undefined {
  const values = [...wanted.memberValues];
  const branches = [
    branch('user', 'user_name_key', 'userNameKeys', [...wanted.userNameKeys, ...values.map(foldCase)]),
    branch('user', 'external_id', 'userExternalIds', [...wanted.userExternalIds, ...values]),
    branch('user', 'id', 'namedUserIds', values.filter(isId)),
    branch('group', 'display_name_key', 'displayNameKeys', [...wanted.displayNameKeys]),
    branch('group', 'external_id', 'groupExternalIds', [...wanted.groupExternalIds, ...values]),
    branch('group', 'id', 'namedGroupIds', values.filter(isId)),
  ].filter(({ keys }) => keys.length > 0);
  if (branches.length === 0) return undefined;
  return {
    name: `names(${branches.map(({ name }) => name).join()})`,
    sql: `names as materialized (${branches.map(({ sql }) => sql).join(' union ')})`,
    bindings: Object.fromEntries(branches.map(({ name, keys }) => [name, keys])),
  };
}

function branch(kind: 'user' | 'group', column: string, name: string, keys: string[]) {
  const key = kind === 'user' ? 'user_name_key' : 'display_name_key';
  const sql = `select id, '${kind}' as kind, ${key} as name_key, external_id
    from ${lookUpRows({ table: `${kind}s`, column, values: boundValues(name, column === 'id' ? 'uuid' : 'text') })}`;
  return { name, sql, keys };
}
