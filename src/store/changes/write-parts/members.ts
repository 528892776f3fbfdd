import type { Membership, PendingMember } from '../../../directory/changes/snapshot.ts';
import type { StatementPart } from '../../sql/statement-parts.ts';
import { ifFew, rowsPart } from './resources.ts';

interface PairWrites<Pair> {
  added: Pair[];
  removed: Pair[];
}

export function membershipParts({ added, removed }: PairWrites<Membership>): StatementPart[] {
  const few = ifFew(
    removed.length,
    'm.group_id = any(cast(:membersRemovedGroups as uuid[])) and m.member_id = any(cast(:membersRemovedIds as uuid[]))',
  );
  return [
    rowsPart(
      'membersRemoved',
      `members_removed as (
      delete from group_members m using held, lateral (${removedRows}) r
      where m.directory_id = held.id and m.group_id = r."groupId" and m.member_id = r."memberId" ${few.sql})`,
      byGroup(removed),
      few.sql === ''
        ? {}
        : {
            membersRemovedGroups: distinct(removed, ({ groupId }) => groupId),
            membersRemovedIds: distinct(removed, ({ memberId }) => memberId),
          },
      few,
    ),
    rowsPart(
      'membersAdded',
      `members_added as (
      insert into group_members (directory_id, group_id, member_id, kind, display)
      select held.id, a.* from held,
        jsonb_to_recordset(cast(:membersAdded as jsonb)) as a("groupId" uuid, "memberId" uuid, kind text, display text))`,
      added,
    ),
  ];
}

export function pendingMemberParts({ added, removed }: PairWrites<PendingMember>): StatementPart[] {
  const few = ifFew(
    removed.length,
    'p.group_id = any(cast(:pendingRemovedGroups as uuid[])) and p.value_key = any(cast(:pendingRemovedKeys as text[]))',
  );
  return [
    rowsPart(
      'pendingRemoved',
      `pending_removed as (
      delete from pending_members p using held, jsonb_to_recordset(cast(:pendingRemoved as jsonb)) as r("groupId" uuid, "valueKey" text)
      where p.directory_id = held.id and p.group_id = r."groupId" and p.value_key = r."valueKey" ${few.sql})`,
      removed.map(({ groupId, valueKey }) => ({ groupId, valueKey })),
      few.sql === ''
        ? {}
        : {
            pendingRemovedGroups: distinct(removed, ({ groupId }) => groupId),
            pendingRemovedKeys: distinct(removed, ({ valueKey }) => valueKey),
          },
      few,
    ),
    rowsPart(
      'pendingAdded',
      `pending_added as (
      insert into pending_members (directory_id, group_id, value, value_key, display)
      select held.id, a.* from held,
        jsonb_to_recordset(cast(:pendingAdded as jsonb)) as a("groupId" uuid, value text, "valueKey" text, display text))`,
      added,
    ),
  ];
}

/** `offset 0` expands the lists first. Otherwise Postgres might look for each row among all members of its group. */
const removedRows = `
        select lists."groupId", one."memberId"
        from jsonb_to_recordset(cast(:membersRemoved as jsonb)) as lists("groupId" uuid, "memberIds" uuid[]),
          unnest(lists."memberIds") as one("memberId")
        offset 0`;

/** Groups members into lists per group, each short enough to be serialized in one go. */
function byGroup(members: Membership[]): { groupId: string; memberIds: string[] }[] {
  const lists: { groupId: string; memberIds: string[] }[] = [];
  for (const { groupId, memberId } of members) {
    const last = lists.at(-1);
    if (last?.groupId === groupId && last.memberIds.length < maxListLength) last.memberIds.push(memberId);
    else lists.push({ groupId, memberIds: [memberId] });
  }
  return lists;
}
const maxListLength = 2_000;

const distinct = <Pair>(pairs: Pair[], keyOf: (pair: Pair) => string) => [...new Set(pairs.map(keyOf))];
