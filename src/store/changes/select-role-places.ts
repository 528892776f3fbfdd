import { boundValues } from '../sql/look-up-rows.ts';
import type { Selection } from './selection.ts';
import type { SnapshotColumn } from './snapshot-column.ts';

/**
 * SQL for CTEs: `role_groups` has the groups that rows of a role table name, with the places of these rows in it. `table` is SQL for the
 * table; a group is looked up by its key or its folded name. As `createNamedGroups` finds them.
 */
export const roleGroups = (table: string): string => `role_rows as materialized (
    select cast(place - 1 as int) as place, given ->> 'key' as key, given ->> 'groupId' is not null as is_by_id
    from jsonb_array_elements(${table} -> 'groups') with ordinality as given_rows(given, place)
  ), role_groups as materialized (
    select cast(key as uuid) as id, place from role_rows where is_by_id
    union all
    select named.id, place from role_rows cross join lateral (
      select id from groups where directory_id = :directoryId and display_name_key = role_rows.key and not role_rows.is_by_id offset 0
    ) named
  )`;

/** SQL for the users, a query of IDs, that are in such groups, with the places of the rows. Only direct members count. */
export const rolePlacesOf = (users: string): string => `
  select joined.id, array_agg(distinct role_groups.place) as places
  from unnest(array(${users})) as joined(id)
    cross join lateral (
      select group_id from group_members where directory_id = :directoryId and member_id = joined.id offset 0
    ) own
    join role_groups on role_groups.id = own.group_id
  group by joined.id`;

/** Selects which rows of the role table the users are in that are recomputed. */
export const selectRolePlaces = ({ recomputed }: Selection): SnapshotColumn[] =>
  recomputed.size === 0
    ? []
    : [
        {
          name: 'places',
          sql: `${roleGroups('(select role_table from directories where id = :directoryId)')},
            found_places as materialized (${rolePlacesOf(boundValues('recomputed', 'uuid'))})`,
          column: 'select json_agg(json_build_array(id, places)) from found_places',
          bindings: { recomputed: [...recomputed] },
        },
      ];
