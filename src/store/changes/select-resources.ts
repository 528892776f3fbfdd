import type { Knex } from 'knex';
import { jsonWeight } from '../sql/json-weight.ts';
import { boundValues, lookUpRows } from '../sql/lookup.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { bindingsOf, namesOf, pendingAs, type Reading, type Source } from './reading.ts';
import type { Selection } from './selection.ts';

/** Limit for groups that are found by their members. With more, their ids are read first. */
const maxFoundGroups = 64;
const tooMany = Number.MAX_SAFE_INTEGER;

export const selectUsers = (userIds: string[]): Reading => ({
  name: 'users',
  sql: `found_users as materialized (${withWeight('users', boundValues('userIds', 'uuid'))})`,
  weight: 'select sum(weight) from found_users',
  column: 'select json_agg(found_users) from found_users',
  bindings: { userIds },
});

const withWeight = (table: 'users' | 'groups', ids: string) =>
  `select found.*, ${jsonWeight('found.resource')} as weight from ${lookUpRows({ table, column: 'id', values: ids })}`;
const groupsColumn = 'select json_agg(found_groups) from found_groups';

/** Selects groups by id and, unless `namesAllGroups`, the groups that members leave and those with matching pending members. */
export function selectGroups({ groupIds, leaving, arriving, namesAllGroups }: Selection): Reading[] {
  if (namesAllGroups)
    return groupIds.size === 0
      ? []
      : [
          {
            name: 'groups-named',
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
      sql: `found_groups as materialized (${withWeight('groups', sources.map(({ sql }) => sql).join(' union '))} limit :maxGroups)`,
      weight: `select case when count(*) < cast(:maxGroups as int) then sum(weight) else ${tooMany} end from found_groups`,
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

/** Returns the ids of the groups that members leave or arrive in. */
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
