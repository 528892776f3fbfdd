import type { Knex } from 'knex';
import type { Membership, ParkedMember } from '../../directory/changes/snapshot.ts';
import type { MemberKind } from '../../directory/group.ts';
import type { Outcome } from '../../directory/mutation.ts';
import { foldCase } from '../../scim/text.ts';
import type { GroupRow } from '../groups/group-rows.ts';
import { eventTotals, type EventTotalsRow } from '../directories/history-totals.ts';
import { quotaColumns, type QuotaRow } from '../directories/quota-columns.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { UserRow } from '../users/user-rows.ts';
import { jsonWeight } from '../sql/json-weight.ts';
import type { Piece } from './selection.ts';
import { boundValues, lookUpRows, type Lookup } from '../sql/lookup.ts';
import { namePart } from './select-names.ts';

type FoundName = [id: string, kind: MemberKind, nameKey: string, externalId: string | null];
type FoundGroup = GroupRow & { member_count: number };

/** What a statement found. Where that would be more than `maxBytes`, only the columns that are always there are read. */
export interface PieceRow extends QuotaRow, EventTotalsRow {
  revision: number;
  has_webhook: boolean | null;
  outcomes_trimmed_at: Date | null;
  now: Date;
  known: Outcome[] | null;
  /** What is or would be read takes this much memory. Counting stops above `maxBytes`. */
  bytes: number;
  users?: UserRow[] | null;
  groups?: FoundGroup[] | null;
  names?: FoundName[] | null;
  memberships?: FoundMembers[] | null;
  parked?: [string, string, string, string | null][] | null;
  counts?: [memberId: string, groups: number][] | null;
}

/** The members of a group, in their order; the kinds as letters, `u` for a user. */
type FoundMembers = [groupId: string, memberIds: string[], kinds: string, displays: (string | null)[] | null];

interface Reading {
  name: string;
  /** What is looked up, measured before any of it is read; nothing if it comes with what others look up. */
  sql?: string;
  weight?: string;
  column: string;
  bindings: Record<string, unknown>;
}

/** Of a name, a member or a pending member, without its texts. */
const rowBytes = 64;
/** Groups that are not named, but found: of more, the ids are read first. */
const maxFoundGroups = 64;
const tooMany = Number.MAX_SAFE_INTEGER;

export interface PieceRequest {
  directoryId: string;
  mutationIds: string[];
  maxBytes: number;
  /** The deployment's quota, */
  groupsPerMember: number;
  /** and how many groups may be created at most. */
  groupsMore: number;
}

/** One statement, so that all of it is from the same moment. Arrays, not joins, so that no plan depends on what Postgres guesses. */
export async function readPiece(
  db: Knex | Knex.Transaction,
  { directoryId, mutationIds, maxBytes, groupsPerMember, groupsMore }: PieceRequest,
  piece: Piece,
): Promise<PieceRow | undefined> {
  const readings = readingsOf(piece);
  const rows = await runPrepared<PieceRow>(db, `read-${readings.map(({ name }) => name).join('-')}`, () => compose(readings), {
    ...(Object.assign({}, ...readings.map(({ bindings }) => bindings)) as Record<string, Knex.RawBinding>),
    directoryId,
    mutationIds,
    maxBytes,
    groupsPerMember,
    groupsMore,
    maxRows: Math.floor(maxBytes / rowBytes) + 1,
  });
  return rows[0];
}

function compose(readings: Reading[]): string {
  const lookedUp = readings.flatMap(({ sql }) => sql ?? []);
  const weights = readings.flatMap(({ weight }) => weight ?? []);
  return `with ${lookedUp.map((sql) => `${sql}, `).join('')}
       size as materialized (select ${weights.map((weight) => `coalesce((${weight}), 0)`).join(' + ') || '0'} as bytes)
       select d.revision, ${eventTotals}, e.url is not null as has_webhook, d.outcomes_trimmed_at, ${quotaColumns}, date_trunc('milliseconds', clock_timestamp()) as now,
         (select json_agg(outcome) from ${lookUpRows({ table: 'mutations', column: 'id', values: boundValues('mutationIds', 'uuid') })}) as known,
         cast(size.bytes as float8) as bytes
         ${readings.map(({ column, name }) => `, case when size.bytes <= :maxBytes then (${column}) end as ${nameOfColumn(name)}`).join('')}
       from directories d cross join size left join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`;
}

/** A name may go on with a variant of its statement. */
const nameOfColumn = (name: string) => /^[a-z]+/.exec(name)![0];

function readingsOf(piece: Piece): Reading[] {
  const names = namePart(piece);
  return [
    ...(names
      ? [
          {
            ...names,
            bindings: names.bindings ?? {},
            weight: `select sum(${rowBytes} + octet_length(name_key) + coalesce(octet_length(external_id), 0)) from names`,
            column: 'select json_agg(json_build_array(id, kind, name_key, external_id)) from names',
          },
        ]
      : []),
    ...(piece.userIds.size > 0 ? [users([...piece.userIds])] : []),
    ...groups(piece),
    ...memberships(piece),
    ...parked(piece),
    ...counts(piece),
  ];
}

/** In how many groups they are who may come into more of them. Not counted while the directory has fewer groups than one may be in. */
function counts({ memberValues, renamed, renamedAs }: Piece): Reading[] {
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

const users = (userIds: string[]): Reading => ({
  name: 'users',
  sql: `found_users as materialized (${withWeight('users', boundValues('userIds', 'uuid'))})`,
  weight: 'select sum(weight) from found_users',
  column: 'select json_agg(found_users) from found_users',
  bindings: { userIds },
});

const withWeight = (table: 'users' | 'groups', ids: string) =>
  `select found.*, ${jsonWeight('found.resource')} as weight from ${lookUpRows({ table, column: 'id', values: ids })}`;
const groupsColumn = 'select json_agg(found_groups) from found_groups';

/** Those asked for and, unless all are named, those that somebody leaves, and those in which somebody is waited for. */
function groups({ groupIds, leaving, arriving, namesAllGroups }: Piece): Reading[] {
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

/** One of several selections that make up a statement; those that would find nothing are left out, since each costs time. */
interface Source {
  name: string;
  sql: string;
  bindings: Record<string, string[]>;
}

const namesOf = (sources: Source[]) => sources.map(({ name }) => name).join('-');
const bindingsOf = (sources: Source[]): Record<string, string[]> => Object.assign({}, ...sources.map(({ bindings }) => bindings));

function groupsConcerned({ leaving, arriving }: Pick<Piece, 'leaving' | 'arriving'>): Source[] {
  const left = {
    name: 'left',
    sql: `select group_id from ${lookUpRows({ table: 'group_members', column: 'member_id', values: boundValues('leaving', 'uuid') })}`,
    bindings: { leaving: [...leaving] },
  };
  const waitedFor = {
    name: 'awaited',
    sql: `select group_id from ${awaiting('arriving')}`,
    bindings: { arriving: [...arriving] },
  };
  return [...(leaving.size > 0 ? [left] : []), ...(arriving.size > 0 ? [waitedFor] : [])];
}

/** The ids of the groups that somebody leaves or arrives in. */
export async function findGroupsConcerned(
  db: Knex | Knex.Transaction,
  directoryId: string,
  { leaving, arriving }: Pick<Piece, 'leaving' | 'arriving'>,
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

const ofGroups = (binding: string) => ({ column: 'group_id', values: boundValues(binding, 'uuid') });
const ofMembers = (binding: string) => ({ column: 'member_id', values: boundValues(binding, 'uuid') });

function memberships({ allMembersOf, someMembersOf, displaysOf, leaving, renamed, renamedAs, memberValues }: Piece): Reading[] {
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
    // A group that gets members in this very change may name them as they are called before or after it.
    const isNamed = someMembersOf.size > 0;
    add(
      isNamed ? 'renamed-some' : 'renamed',
      {
        ...ofMembers('renamed'),
        and: `group_id = any(array(select group_id from ${awaiting('renamedAs')}${isNamed ? ` union all ${boundValues('renamedIn', 'uuid')}` : ''}))`,
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
      weight: `select ${shows ? `sum(${rowBytes} + coalesce(octet_length(display), 0))` : `${rowBytes} * count(*)`} from found_members`,
      column: `select json_agg(json_build_array(group_id, ids, kinds${shows ? ', displays' : ''}) order by since) from (
        select group_id, min(position) as since, json_agg(member_id order by position) as ids,
          string_agg(case kind when 'user' then 'u' else 'g' end, '' order by position) as kinds
          ${shows ? ', json_agg(display order by position) filter (where group_id = any(cast(:displaysOf as uuid[]))) as displays' : ''}
        from found_members group by group_id) of_each`,
      bindings: { ...bindingsOf(branches), ...(shows && { displaysOf: [...displaysOf] }) },
    },
  ];
}

/** The pending members that go by one of these values. */
const awaiting = (values: string) => lookUpRows({ table: 'parked_members', column: 'value_key', values: boundValues(values, 'text') });

/** Pending members of the groups that change, and whoever may now arrive. */
function parked({ allMembersOf, someMembersOf, memberValues, arriving }: Piece): Reading[] {
  const branches: Source[] = [];
  const add = (name: string, from: string, bindings: Record<string, string[]>) =>
    branches.push({ name, sql: `select group_id, value, value_key, display, position from ${from}`, bindings });
  if (allMembersOf.size > 0)
    add('all', lookUpRows({ table: 'parked_members', ...ofGroups('parkedInAll') }), { parkedInAll: [...allMembersOf] });
  if (someMembersOf.size > 0 && memberValues.size > 0)
    add(
      'some',
      lookUpRows({
        table: 'parked_members',
        ...ofGroups('parkedInSome'),
        and: `value_key = any(array(${boundValues('valueKeys', 'text')}))`,
      }),
      {
        parkedInSome: [...someMembersOf],
        valueKeys: [...memberValues].map(foldCase),
      },
    );
  if (arriving.size > 0) add('arriving', awaiting('parkedAs'), { parkedAs: [...arriving] });
  if (branches.length === 0) return [];
  return [
    {
      name: `parked-${namesOf(branches)}`,
      sql: `found_parked as materialized (select * from (${branches.map(({ sql }) => sql).join(' union all ')}) found limit :maxRows)`,
      weight: `select sum(${rowBytes} + octet_length(value) + octet_length(value_key) + coalesce(octet_length(display), 0)) from found_parked`,
      column: 'select json_agg(json_build_array(group_id, value, value_key, display) order by position) from found_parked',
      bindings: bindingsOf(branches),
    },
  ];
}

export const toMemberships = (found: FoundMembers[]): Membership[] =>
  found.flatMap(([groupId, ids, kinds, displays]) =>
    ids.map((memberId, index) => ({
      groupId,
      memberId,
      kind: kinds[index] === 'u' ? 'user' : 'group',
      display: displays?.[index] ?? null,
    })),
  );

export const toParked = (found: NonNullable<PieceRow['parked']>): ParkedMember[] =>
  found.map(([groupId, value, valueKey, display]) => ({ groupId, value, valueKey, display }));
