import type { Knex } from 'knex';
import type { Membership, PendingMember } from '../../directory/changes/snapshot.ts';
import type { MemberKind } from '../../directory/resources/group.ts';
import type { Outcome } from '../../directory/changes/mutation.ts';
import { type EventTotalsRow, type QuotaRow, eventTotals, quotaColumns } from '../directories/quotas.ts';
import type { GroupRow } from '../groups/group-rows.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { bindToRows, columnsOf } from '../sql/given-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { UserRow } from '../users/user-rows.ts';
import { rowBytes, type SnapshotColumn } from './snapshot-column.ts';
import { selectGroupCounts, selectMemberships, selectPendingMembers } from './select-members.ts';
import { selectGroups, selectNames, selectUsers } from './select-resources.ts';
import { unite, type Selection } from './selection.ts';

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
  /** How many groups the change may create. */
  groupsMore: number;
}

export interface SelectionLimits {
  maxBytes: number;
  /** The deployment's quota. */
  groupsPerMember: number;
}

/** Reads in a single statement, so that the result is consistent. Binds arrays, so that plans do not depend on Postgres' statistics. */
export async function readSelection(
  db: Knex | Knex.Transaction,
  request: SelectionRequest,
  limits: SelectionLimits,
  selection: Selection,
): Promise<SelectionRow | undefined> {
  const columns = snapshotColumnsOf(selection);
  const rows = await runPrepared<SelectionRow>(db, `read-${namesOf(columns)}`, () => compose(columns), {
    ...bindingsOf(columns),
    ...toBindings(request),
    ...toLimits(limits),
  });
  return rows[0];
}

/**
 * Reads for several directories in a single statement. It has the columns that any of them needs; where a directory needs less, the arrays
 * are null, and nothing is looked up.
 */
export async function readSelections(
  db: Knex,
  requests: (SelectionRequest & { selection: Selection })[],
  limits: SelectionLimits,
): Promise<Map<string, SelectionRow>> {
  const columns = snapshotColumnsOf(unite(requests.map(({ selection }) => selection)));
  const given = requests.map(({ selection, ...request }) => ({ ...bindingsOf(snapshotColumnsOf(selection)), ...toBindings(request) }));
  const rows = await runPrepared<SelectionRow & { directory_id: string }>(db, `read-many-${namesOf(columns)}`, () => composeMany(columns), {
    given: JSON.stringify(given),
    ...toLimits(limits),
  });
  return new Map(rows.map((row) => [row.directory_id, row]));
}

const namesOf = (columns: SnapshotColumn[]) => columns.map(({ name }) => name).join('-');
const bindingsOf = (columns: SnapshotColumn[]): Record<string, Knex.RawBinding> =>
  Object.assign({}, ...columns.map(({ bindings }) => bindings)) as Record<string, Knex.RawBinding>;
const toBindings = ({ directoryId, mutationIds, groupsMore }: SelectionRequest) => ({ directoryId, mutationIds, groupsMore });
const toLimits = ({ maxBytes, groupsPerMember }: SelectionLimits) => ({
  maxBytes,
  groupsPerMember,
  maxRows: Math.floor(maxBytes / rowBytes) + 1,
});

function composeMany(columns: SnapshotColumn[]): string {
  const sql = compose(columns);
  const names = new Set([
    ...Object.keys(bindingsOf(columns)),
    ...Object.keys(toBindings({ directoryId: '', mutationIds: [], groupsMore: 0 })),
  ]);
  return `select given."directoryId" as directory_id, of_directory.*
    from jsonb_to_recordset(cast(:given as jsonb)) as given(${columnsOf(sql, names)})
    cross join lateral (${bindToRows(sql, names, 'given')} offset 0) of_directory`;
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
