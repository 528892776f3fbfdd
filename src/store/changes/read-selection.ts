import type { Knex } from 'knex';
import type { Membership, PendingMember } from '../../directory/changes/snapshot.ts';
import type { MemberKind } from '../../directory/resources/group.ts';
import type { Outcome } from '../../directory/changes/mutation.ts';
import { type EventTotalsRow, type QuotaRow, eventTotals, quotaColumns } from '../directories/quotas.ts';
import type { GroupRow } from '../groups/group-rows.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { UserRow } from '../users/user-rows.ts';
import { rowBytes, type SnapshotColumn } from './snapshot-column.ts';
import { selectGroupCounts, selectMemberships, selectPendingMembers } from './select-members.ts';
import { selectGroups, selectNames, selectUsers } from './select-resources.ts';
import type { Selection } from './selection.ts';

type FoundName = [id: string, kind: MemberKind, nameKey: string, externalId: string | null];
type FoundGroup = GroupRow & { member_count: number };

/** The result of the statement. If it would take more than `maxBytes`, the optional columns are missing. */
export interface SelectionRow extends QuotaRow, EventTotalsRow {
  revision: number;
  has_webhook: boolean | null;
  outcomes_trimmed_at: Date | null;
  now: Date;
  known: Outcome[] | null;
  /** The memory that the result takes or would take. Counting stops above `maxBytes`. */
  bytes: number;
  users?: UserRow[] | null;
  groups?: FoundGroup[] | null;
  names?: FoundName[] | null;
  memberships?: FoundMembers[] | null;
  pending?: [string, string, string, string | null][] | null;
  counts?: [memberId: string, groups: number][] | null;
}

/** The members of a group, in order. `kinds` has a letter for each: `u` for a user, `g` for a group. */
type FoundMembers = [groupId: string, memberIds: string[], kinds: string, displays: (string | null)[] | null];

export interface SelectionRequest {
  directoryId: string;
  mutationIds: string[];
  maxBytes: number;
  /** The deployment's quota. */
  groupsPerMember: number;
  /** How many groups the change may create. */
  groupsMore: number;
}

/** Reads in a single statement, so that the result is consistent. Binds arrays, so that plans do not depend on Postgres' statistics. */
export async function readSelection(
  db: Knex | Knex.Transaction,
  { directoryId, mutationIds, maxBytes, groupsPerMember, groupsMore }: SelectionRequest,
  selection: Selection,
): Promise<SelectionRow | undefined> {
  const readings = snapshotColumnsOf(selection);
  const rows = await runPrepared<SelectionRow>(db, `read-${readings.map(({ name }) => name).join('-')}`, () => compose(readings), {
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

function compose(readings: SnapshotColumn[]): string {
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

/** The name of a reading without the suffix of its variant. */
const nameOfColumn = (name: string) => /^[a-z]+/.exec(name)![0];

function snapshotColumnsOf(selection: Selection): SnapshotColumn[] {
  return [
    ...selectNames(selection),
    ...(selection.userIds.size > 0 ? [selectUsers([...selection.userIds])] : []),
    ...selectGroups(selection),
    ...selectMemberships(selection),
    ...selectPendingMembers(selection),
    ...selectGroupCounts(selection),
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

export const toPendingMembers = (found: NonNullable<SelectionRow['pending']>): PendingMember[] =>
  found.map(([groupId, value, valueKey, display]) => ({ groupId, value, valueKey, display }));
