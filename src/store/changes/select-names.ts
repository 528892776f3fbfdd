import type { ReadSet } from '../../directory/changes/read-set.ts';
import { isId } from '../../ids.ts';
import { foldCase } from '../../scim/text.ts';
import { boundValues, lookUpRows } from '../sql/lookup.ts';
import { rowBytes, type Reading } from './reading.ts';

/** Selects all users and groups with one of the names: names that must be unique, and names of members. */
export function selectNames(wanted: ReadSet): Reading[] {
  const values = [...wanted.memberValues];
  const branches = [
    branch('user', 'user_name_key', 'userNameKeys', [...wanted.userNameKeys, ...values.map(foldCase)]),
    branch('user', 'external_id', 'userExternalIds', [...wanted.userExternalIds, ...values]),
    branch('user', 'id', 'namedUserIds', values.filter(isId)),
    branch('group', 'display_name_key', 'displayNameKeys', [...wanted.displayNameKeys]),
    branch('group', 'external_id', 'groupExternalIds', [...wanted.groupExternalIds, ...values]),
    branch('group', 'id', 'namedGroupIds', values.filter(isId)),
  ].filter(({ keys }) => keys.length > 0);
  if (branches.length === 0) return [];
  return [
    {
      name: `names(${branches.map(({ name }) => name).join()})`,
      sql: `names as materialized (${branches.map(({ sql }) => sql).join(' union ')})`,
      bindings: Object.fromEntries(branches.map(({ name, keys }) => [name, keys])),
      weight: `select sum(${rowBytes} + octet_length(name_key) + coalesce(octet_length(external_id), 0)) from names`,
      column: 'select json_agg(json_build_array(id, kind, name_key, external_id)) from names',
    },
  ];
}

function branch(kind: 'user' | 'group', column: string, name: string, keys: string[]) {
  const key = kind === 'user' ? 'user_name_key' : 'display_name_key';
  const sql = `select id, '${kind}' as kind, ${key} as name_key, external_id
    from ${lookUpRows({ table: `${kind}s`, column, values: boundValues(name, column === 'id' ? 'uuid' : 'text') })}`;
  return { name, sql, keys };
}
