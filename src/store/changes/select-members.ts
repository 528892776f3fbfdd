import { foldCase } from '../../scim/text.ts';
import { boundValues, lookUpRows, type Lookup } from '../sql/look-up-rows.ts';
import { bindingsOf, namesOf, pendingAs, rowBytes, type SnapshotColumn, type Source } from './snapshot-column.ts';
import { maxIdLength } from '../../directory/resources/resource-ids.ts';
import { hasDerivedKey, publicIdOfMember } from '../resources/public-id.ts';
import type { Selection } from './selection.ts';

const ofGroups = (binding: string) => ({ column: 'group_id', values: boundValues(binding, 'uuid') });
const ofMembers = (binding: string) => ({ column: 'member_id', values: boundValues(binding, 'uuid') });

export function selectMemberships({
  allMembersOf,
  someMembersOf,
  displaysOf,
  leaving,
  renamed,
  renamedAs,
  memberValues,
}: Selection): SnapshotColumn[] {
  const branches: Source[] = [];
  const add = (name: string, { column, values, and }: Omit<Lookup, 'table'>, bindings: Record<string, string[]>) =>
    branches.push({
      name,
      sql: `select group_id, member_id, kind, display, position from ${lookUpRows({ table: 'group_members', column, values, and })}`,
      bindings,
    });
  if (allMembersOf.size > 0) add('all', ofGroups('allMembersOf'), { allMembersOf: [...allMembersOf] });
  if (leaving.size > 0) add('leaving', ofMembers('membersLeaving'), { membersLeaving: [...leaving] });
  if (someMembersOf.size > 0 && memberValues.size > 0)
    add(
      'some',
      { ...ofGroups('someMembersOf'), and: 'member_id = any(array(select id from names))' },
      { someMembersOf: [...someMembersOf] },
    );
  if (renamed.size > 0 && renamedAs.size > 0) {
    // The same change may add members to a group, by their old or their new names.
    const isNamed = someMembersOf.size > 0;
    add(
      isNamed ? 'renamed-some' : 'renamed',
      {
        ...ofMembers('renamed'),
        and: `group_id = any(array(select group_id from ${pendingAs('renamedAs')}${isNamed ? ` union all ${boundValues('renamedIn', 'uuid')}` : ''}))`,
      },
      { renamed: [...renamed], renamedAs: [...renamedAs], ...(isNamed && { renamedIn: [...someMembersOf] }) },
    );
  }
  if (branches.length === 0) return [];
  const shows = displaysOf.size > 0;
  return [
    {
      name: `memberships-${namesOf(branches)}${shows ? '-shown' : ''}`,
      sql: `found_members as materialized (select * from (${branches.map(({ sql }) => sql).join(' union all ')}) found limit :maxRows)`,
      weight: `select ${shows ? `sum(${rowBytes} + coalesce(octet_length(display), 0) + case when ${hasDerivedKey('found_members')} then ${maxIdLength} else 0 end)` : `${rowBytes} * count(*)`} from found_members`,
      column: `select json_agg(json_build_array(group_id, ids, kinds${shows ? ', displays, public_ids' : ''}) order by since) from (
        select group_id, min(position) as since, json_agg(member_id order by position) as ids,
          string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
          ${shows ? `, ${ofShown('display')} as displays, ${ofShown(importedId)} as public_ids` : ''}
        from found_members group by group_id) of_each`,
      bindings: { ...bindingsOf(branches), ...(shows && { displaysOf: [...displaysOf] }) },
    },
  ];
}

const ofShown = (sql: string) => `json_agg(${sql} order by position) filter (where group_id = any(cast(:displaysOf as uuid[])))`;
/** Null if it is the key. */
const importedId = `case when ${hasDerivedKey('found_members')} then ${publicIdOfMember('found_members', ':directoryId')} end`;

/** Selects pending members of the changed groups, and those that may now become members. */
export function selectPendingMembers({ allMembersOf, someMembersOf, memberValues, arriving }: Selection): SnapshotColumn[] {
  const branches: Source[] = [];
  const add = (name: string, from: string, bindings: Record<string, string[]>) =>
    branches.push({ name, sql: `select group_id, value, value_key, display, position from ${from}`, bindings });
  if (allMembersOf.size > 0)
    add('all', lookUpRows({ table: 'pending_members', ...ofGroups('pendingInAll') }), { pendingInAll: [...allMembersOf] });
  if (someMembersOf.size > 0 && memberValues.size > 0)
    add(
      'some',
      lookUpRows({
        table: 'pending_members',
        ...ofGroups('pendingInSome'),
        and: `value_key = any(array(${boundValues('valueKeys', 'text')}))`,
      }),
      {
        pendingInSome: [...someMembersOf],
        valueKeys: [...memberValues].map(foldCase),
      },
    );
  if (arriving.size > 0) add('arriving', pendingAs('pendingAs'), { pendingAs: [...arriving] });
  if (branches.length === 0) return [];
  return [
    {
      name: `pending-${namesOf(branches)}`,
      sql: `found_pending as materialized (select * from (${branches.map(({ sql }) => sql).join(' union all ')}) found limit :maxRows)`,
      weight: `select sum(${rowBytes} + octet_length(value) + octet_length(value_key) + coalesce(octet_length(display), 0)) from found_pending`,
      column: 'select json_agg(json_build_array(group_id, value, value_key, display) order by position) from found_pending',
      bindings: bindingsOf(branches),
    },
  ];
}

/** Counts the groups of resources that may get into more groups. Skipped while the directory has fewer groups than the quota allows. */
export function selectGroupCounts({ memberValues, renamed, renamedAs }: Selection): SnapshotColumn[] {
  const sources: Source[] = [
    ...(memberValues.size > 0 ? [{ name: 'named', sql: 'select id from names', bindings: {} }] : []),
    ...(renamed.size > 0 && renamedAs.size > 0
      ? [{ name: 'renamed', sql: boundValues('countedAs', 'uuid'), bindings: { countedAs: [...renamed] } }]
      : []),
  ];
  if (sources.length === 0) return [];
  return [
    {
      name: `counts-${namesOf(sources)}`,
      column: `select json_agg(json_build_array(counted.id, of_one.groups)) from (${sources.map(({ sql }) => sql).join(' union ')}) counted(id)
        cross join lateral (select count(*) as groups from group_members m where m.directory_id = :directoryId and m.member_id = counted.id) of_one
        where d.group_count + cast(:groupsMore as int) >= coalesce(cast(d.quotas->>'groups_per_member' as bigint), cast(:groupsPerMember as bigint))
          and of_one.groups > 0`,
      bindings: bindingsOf(sources),
    },
  ];
}
