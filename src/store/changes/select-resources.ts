import type { Knex } from 'knex';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { type SnapshotColumn, type Source, bindingsOf, namesOf, pendingAs, rowBytes } from './snapshot-column.ts';
import type { Selection } from './selection.ts';
import type { ReadSet } from '../../directory/changes/read-set.ts';
import { toResourceKey } from '../../directory/resources/resource-ids.ts';
import { foldCase } from '../../scim/text.ts';
import { documentWeight } from '../resources/pushed-column.ts';

/** Limit for groups that are found by their members. With more, their IDs are read first. */
const maxFoundGroups = 64;
const tooMany = Number.MAX_SAFE_INTEGER;

export const selectUsers = (userIds: string[]): SnapshotColumn => ({
  name: 'users',
  sql: `found_users as materialized (${withWeight('users', boundValues('userIds', 'uuid'))})`,
  weight: 'select sum(weight) from found_users',
  column: 'select json_agg(found_users) from found_users',
  bindings: { userIds },
});

const withWeight = (table: 'users' | 'groups', ids: string) =>
  `select found.*, ${documentWeight('found', table)} as weight from ${lookUpRows({ table, column: 'id', values: ids })}`;
const groupsColumn = 'select json_agg(found_groups) from found_groups';

/** Selects groups by ID and, unless `namesAllGroups`, the groups that members leave and those with matching pending members. */
export function selectGroups({ groupIds, leaving, arriving, namesAllGroups }: Selection): SnapshotColumn[] {
  if (namesAllGroups)
    return groupIds.size === 0
      ? []
      : [
          {
            name: 'groups-given',
            sql: `found_groups as materialized (${withWeight('groups', boundValues('groupIds', 'uuid'))})`,
            weight: 'select sum(weight) from found_groups',
            column: groupsColumn,
            bindings: { groupIds: [...groupIds] },
          },
        ];
  const sources = [
    ...(groupIds.size > 0 ? [{ name: 'named', sql: boundValues('groupIds', 'uuid'), bindings: { groupIds: [...groupIds] } }] : []),
    ...groupsConcerned({ leaving, arriving }),
  ];
  if (sources.length === 0) return [];
  return [
    {
      name: `groups-${namesOf(sources)}`,
      sql: `found_groups as materialized (${withWeight('groups', sources.map(({ sql }) => sql).join(' union '))} limit cast(:maxGroups as int))`,
      weight: `select case when count(*) >= cast(:maxGroups as int) then ${tooMany} else sum(weight) end from found_groups`,
      column: groupsColumn,
      bindings: { ...bindingsOf(sources), maxGroups: groupIds.size + maxFoundGroups + 1 },
    },
  ];
}

function groupsConcerned({ leaving, arriving }: Pick<Selection, 'leaving' | 'arriving'>): Source[] {
  const left = {
    name: 'left',
    sql: `select group_id from ${lookUpRows({ table: 'group_members', column: 'member_id', values: boundValues('leaving', 'uuid') })}`,
    bindings: { leaving: [...leaving] },
  };
  const awaited = {
    name: 'awaited',
    sql: `select group_id from ${pendingAs('arriving')}`,
    bindings: { arriving: [...arriving] },
  };
  return [...(leaving.size > 0 ? [left] : []), ...(arriving.size > 0 ? [awaited] : [])];
}

/** Returns the IDs of the groups that members leave or arrive in. */
export async function findGroupsConcerned(
  db: Knex | Knex.Transaction,
  directoryId: string,
  { leaving, arriving }: Pick<Selection, 'leaving' | 'arriving'>,
): Promise<string[]> {
  const sources = groupsConcerned({ leaving, arriving });
  if (sources.length === 0) return [];
  const rows = await runPrepared<{ group_id: string }>(
    db,
    `groups-concerned-${namesOf(sources)}`,
    () => sources.map(({ sql }) => sql).join(' union '),
    { directoryId, ...bindingsOf(sources) },
  );
  return rows.map(({ group_id: id }) => id);
}

/** Selects all users and groups with one of the names: names that must be unique, and names of members. */
export function selectNames(wanted: ReadSet): SnapshotColumn[] {
  const values = [...wanted.memberValues];
  const memberKeys = values.map(toResourceKey);
  const branches = [
    branch('user', 'user_name_key', 'userNameKeys', [...wanted.userNameKeys, ...values.map(foldCase)]),
    branch('user', 'external_id', 'userExternalIds', [...wanted.userExternalIds, ...values]),
    branch('user', 'id', 'namedUserIds', memberKeys),
    branch('group', 'display_name_key', 'displayNameKeys', [...wanted.displayNameKeys]),
    branch('group', 'external_id', 'groupExternalIds', [...wanted.groupExternalIds, ...values]),
    branch('group', 'id', 'namedGroupIds', memberKeys),
  ].filter(({ keys }) => keys.length > 0);
  if (branches.length === 0) return [];
  return [
    {
      name: `names(${branches.map(({ name }) => name).join()})`,
      sql: `names as materialized (${branches.map(({ sql }) => sql).join(' union ')})`,
      bindings: Object.fromEntries(branches.map(({ name, keys }) => [name, keys])),
      weight: `select sum(${rowBytes} + octet_length(name_key) + coalesce(octet_length(external_id), 0) + coalesce(octet_length(public_id), 0)) from names`,
      column: 'select json_agg(json_build_array(id, kind, name_key, external_id, public_id)) from names',
    },
  ];
}

function branch(kind: 'user' | 'group', column: string, name: string, keys: string[]) {
  const key = kind === 'user' ? 'user_name_key' : 'display_name_key';
  const sql = `select id, '${kind}' as kind, ${key} as name_key, external_id, public_id
    from ${lookUpRows({ table: `${kind}s`, column, values: boundValues(name, column === 'id' ? 'uuid' : 'text') })}`;
  return { name, sql, keys };
}
