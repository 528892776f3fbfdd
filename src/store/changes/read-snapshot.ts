import type { Knex } from 'knex';
import type { Membership, ParkedMember, Snapshot } from '../../directory/changes/snapshot.ts';
import type { Wanted } from '../../directory/changes/wanted.ts';
import type { MemberKind } from '../../directory/group.ts';
import type { Outcome } from '../../directory/mutation.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { foldCase } from '../../scim/text.ts';
import { toGroup, type GroupRow } from '../groups.ts';
import { eventTotals, toUndeliveredBytes, type EventTotalsRow } from '../history-totals.ts';
import { holdingsColumns, toHoldings, toOwnQuotas, type HoldingsRow } from '../holdings.ts';
import { toUser, type UserRow } from '../user-rows.ts';
import { namePart } from './read-names.ts';
import { runParts, type Part } from './statement.ts';

/** The directory as it was at one moment, and how to tell whether it still is so. */
export interface ReadSnapshot extends Snapshot {
  revision: number;
  /** Of all events so far. */
  eventBytes: number;
}

type Names = [id: string, kind: MemberKind, nameKey: string, externalId: string | null];

interface SnapshotRow extends HoldingsRow, EventTotalsRow {
  revision: number;
  has_webhook: boolean | null;
  outcomes_trimmed_at: Date | null;
  now: Date;
  known?: Outcome[] | null;
  users?: UserRow[] | null;
  groups?: (GroupRow & { member_count: number })[] | null;
  names?: Names[] | null;
  memberships?: [string, string, MemberKind, string | null][] | null;
  parked?: [string, string, string, string | null][] | null;
}

/** One statement, so that all of it is from the same moment. Arrays, not joins, so that no plan depends on what Postgres guesses. */
export async function readSnapshot(
  db: Knex | Knex.Transaction,
  { directoryId, mutationIds, wanted }: { directoryId: string; mutationIds: string[]; wanted: Wanted },
  limits: Quotas,
): Promise<ReadSnapshot | undefined> {
  const names = namePart(wanted);
  const [row] = await runParts<SnapshotRow>(db, {
    name: names ? `read-${names.name}` : 'read',
    parts: partsFor(wanted),
    join: (pieces) =>
      `${names ? `with ${names.sql}` : ''}
       select d.revision, ${eventTotals}, e.url is not null as has_webhook, d.outcomes_trimmed_at, ${holdingsColumns}, date_trunc('milliseconds', clock_timestamp()) as now,
         (select json_agg(outcome) from mutations where directory_id = d.id and id = any(cast(:mutationIds as uuid[]))) as known
         ${names ? ', (select json_agg(json_build_array(id, kind, name_key, external_id)) from names) as names' : ''}
         ${pieces.map((piece) => `, ${piece}`).join('')}
       from directories d left join webhook_endpoints e on e.directory_id = d.id where d.id = :directoryId`,
    bindings: { directoryId, mutationIds, ...names?.bindings },
  });
  return row && toSnapshot(row, limits);
}

function partsFor(wanted: Wanted): Part[] {
  const allMembersOf = [...wanted.allMembersOf];
  const someMembersOf = [...wanted.someMembersOf];
  const leaving = [...wanted.leaving];
  const valueKeys = [...wanted.memberValues].map(foldCase);
  const arriving = [...wanted.arriving];
  /** Who may arrive under a name that a group waits for, and be its member already. */
  const renamed = arriving.length > 0 ? [...wanted.userIds, ...wanted.groupIds] : [];
  const concernsGroups = wanted.groupIds.size + allMembersOf.length + someMembersOf.length + leaving.length > 0;
  return [
    ...(wanted.userIds.size > 0 ? [users([...wanted.userIds])] : []),
    ...(concernsGroups || arriving.length > 0
      ? [groups([...wanted.groupIds], leaving, arriving), parked({ allMembersOf, someMembersOf, valueKeys, arriving })]
      : []),
    ...memberships({ allMembersOf, someMembersOf, leaving, renamed, arriving }, wanted.memberValues.size > 0),
  ];
}

const users = (userIds: string[]): Part => ({
  name: 'users',
  sql: `(select json_agg(u) from users u where directory_id = d.id and id = any(cast(:userIds as uuid[]))) as users`,
  bindings: { userIds },
});

/** Those asked for, those that somebody leaves, and those in which somebody is waited for. */
const groups = (groupIds: string[], leaving: string[], arriving: string[]): Part => ({
  name: 'groups',
  sql: `(select json_agg(g) from groups g where directory_id = d.id and id = any(array(
           select unnest(cast(:groupIds as uuid[]))
           union select group_id from group_members where directory_id = :directoryId and member_id = any(cast(:leaving as uuid[]))
           union select group_id from parked_members where directory_id = :directoryId and value_key = any(cast(:arriving as text[]))
         ))) as groups`,
  bindings: { groupIds, leaving, arriving },
});

interface WantedMemberships {
  allMembersOf: string[];
  someMembersOf: string[];
  leaving: string[];
  renamed: string[];
  arriving: string[];
}

function memberships({ renamed, arriving, ...bindings }: WantedMemberships, hasNames: boolean): Part[] {
  const ofGroups = `select m.* from group_members m where m.directory_id = :directoryId and m.group_id = any(cast(:allMembersOf as uuid[]))
      union
        select m.* from group_members m where m.directory_id = :directoryId and m.member_id = any(cast(:leaving as uuid[]))
      union
        select m.* from group_members m where m.directory_id = :directoryId
          and m.group_id = any(cast(:someMembersOf as uuid[])) and m.member_id = any(array(${hasNames ? 'select id from names' : 'select cast(null as uuid)'}))`;
  const ofRenamed = `select m.* from group_members m where m.directory_id = :directoryId and m.member_id = any(cast(:renamed as uuid[]))
      and m.group_id = any(array(
        select group_id from parked_members where directory_id = :directoryId and value_key = any(cast(:arriving as text[]))))`;
  const concernsGroups = bindings.allMembersOf.length + bindings.someMembersOf.length + bindings.leaving.length > 0;
  const branches = [...(concernsGroups ? [ofGroups] : []), ...(renamed.length > 0 ? [ofRenamed] : [])];
  if (branches.length === 0) return [];
  return [
    {
      name: `memberships${concernsGroups ? '' : '-none'}${hasNames ? '' : '-unnamed'}${renamed.length > 0 ? '-renamed' : ''}`,
      sql: `(select json_agg(json_build_array(group_id, member_id, kind, display) order by position) from (${branches.join(' union ')}) found) as memberships`,
      bindings: { ...(concernsGroups && bindings), ...(renamed.length > 0 && { renamed, arriving }) },
    },
  ];
}

/** Parked members of the groups that change, and whoever may now arrive. */
const parked = (bindings: { allMembersOf: string[]; someMembersOf: string[]; valueKeys: string[]; arriving: string[] }): Part => ({
  name: 'parked',
  sql: `(select json_agg(json_build_array(group_id, value, value_key, display) order by position) from (
           select p.* from parked_members p where p.directory_id = :directoryId and p.group_id = any(cast(:allMembersOf as uuid[]))
         union
           select p.* from parked_members p where p.directory_id = :directoryId
             and p.group_id = any(cast(:someMembersOf as uuid[])) and p.value_key = any(cast(:valueKeys as text[]))
         union
           select p.* from parked_members p where p.directory_id = :directoryId and p.value_key = any(cast(:arriving as text[]))
         ) found) as parked`,
  bindings,
});

function toSnapshot(row: SnapshotRow, limits: Quotas): ReadSnapshot {
  const found = row.names ?? [];
  return {
    revision: row.revision,
    lastSequence: row.last_sequence,
    now: row.now,
    holds: toHoldings(row),
    quotas: { limits, own: toOwnQuotas(row.quotas) },
    eventBytes: row.event_bytes ?? 0,
    outcomesTrimmedAt: row.outcomes_trimmed_at ?? undefined,
    undeliveredBytes: row.has_webhook ? toUndeliveredBytes(row) : 0,
    memberCounts: new Map((row.groups ?? []).map((group) => [group.id, group.member_count])),
    known: row.known ?? [],
    users: (row.users ?? []).map(toUser),
    groups: (row.groups ?? []).map(toGroup),
    userNames: found.filter(([, kind]) => kind === 'user').map(([id, , userNameKey, externalId]) => ({ id, userNameKey, externalId })),
    groupNames: found
      .filter(([, kind]) => kind === 'group')
      .map(([id, , displayNameKey, externalId]) => ({ id, displayNameKey, externalId })),
    memberships: (row.memberships ?? []).map(([groupId, memberId, kind, display]): Membership => ({ groupId, memberId, kind, display })),
    parked: (row.parked ?? []).map(([groupId, value, valueKey, display]): ParkedMember => ({ groupId, value, valueKey, display })),
  };
}
