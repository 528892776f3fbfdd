import type { Knex } from 'knex';
import type { Membership, PendingMember } from '../../directory/changes/snapshot.ts';
import type { MemberKind } from '../../directory/resources/group.ts';
import type { Outcome } from '../../directory/changes/mutation.ts';
import type { AttributeSchema } from '../../directory/attributes/attribute.ts';
import type { RoleTable } from '../../directory/roles/role-table.ts';
import type { AttributeMapping } from '../../directory/attributes/source.ts';
import type { DirectoryType, InactiveUsers } from '../../directory/directories/directory.ts';
import { type EventTotalsRow, type QuotaRow, eventTotals, quotaColumns } from '../directories/quotas.ts';
import type { GroupRow } from '../groups/group-rows.ts';
import { boundValues, lookUpRows } from '../sql/look-up-rows.ts';
import { bindToRows, columnsOf } from '../sql/bind-to-rows.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import type { UserRow } from '../users/user-rows.ts';
import { rowBytes, type SnapshotColumn } from './snapshot-column.ts';
import { selectGroupCounts, selectMemberships, selectPendingMembers } from './select-members.ts';
import { selectGroups, selectNames, selectUsers } from './select-resources.ts';
import { selectRolePlaces } from './select-role-places.ts';
import { selectNothing, setNames, type Selection, type SetName } from './selection.ts';

type FoundName = [id: string, kind: MemberKind, nameKey: string, externalId: string | null, publicId: string | null];
type FoundGroup = GroupRow & { member_count: number };

/** The result of the statement. If it would take more than `maxBytes`, the optional columns are missing. */
export interface SelectionRow extends QuotaRow, EventTotalsRow {
  revision: number;
  has_webhook: boolean | null;
  outcomes_trimmed_at: Date | null;
  user_state_events: boolean;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  type: DirectoryType;
  attribute_mapping: AttributeMapping | null;
  role_table: RoleTable | null;
  /** Null if the product has none. */
  attribute_schema: AttributeSchema | null;
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
  places?: [userId: string, places: number[]][] | null;
}

/** The members of a group, in order. `kinds` has a letter for each: `u` for a user, `g` for a group. */
type FoundMembers = [
  groupId: string,
  memberIds: string[],
  kinds: string,
  displays?: (string | null)[] | null,
  publicIds?: (string | null)[] | null,
];

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
 * Reads for several directories in a single statement, each of which looks up what its own selection contains. The statement has the columns
 * that all selections of a level need.
 */
export async function readSelections(
  db: Knex,
  requests: (SelectionRequest & { selection: Selection })[],
  limits: SelectionLimits,
): Promise<Map<string, SelectionRow>> {
  const level = levels.find(({ sets }) => requests.every(({ selection }) => isWithin(selection, sets)))!;
  const given = requests.map(({ selection, ...request }) => ({ ...bindingsOf(snapshotColumnsOf(selection)), ...toBindings(request) }));
  const rows = await runPrepared<SelectionRow & { directory_id: string }>(db, `read-many-${level.name}`, () => composeMany(level), {
    given: JSON.stringify(given),
    ...toLimits(limits),
  });
  return new Map(rows.map((row) => [row.directory_id, row]));
}

interface Level {
  name: string;
  sets: SetName[];
}

/** What a statement reads. Few combinations, because what several directories need together varies, and Postgres keeps each statement. */
const levels: Level[] = [
  { name: 'creates', sets: ['userNameKeys', 'userExternalIds', 'arriving', 'renamedAs'] },
  { name: 'users', sets: ['userIds', 'userNameKeys', 'userExternalIds', 'leaving', 'arriving', 'renamed', 'renamedAs'] },
  // Recomputations come alone.
  { name: 'everything', sets: setNames.filter((name) => name !== 'recomputed') },
];

const isWithin = (selection: Selection, sets: SetName[]): boolean =>
  setNames.every((name) => selection[name].size === 0 || sets.includes(name));

/** The statement is composed for a selection with a value in each set. */
function composeMany({ sets }: Level): string {
  const selection = { ...selectNothing(), namesAllGroups: false, ...Object.fromEntries(sets.map((name) => [name, new Set([anyId])])) };
  const sql = compose(snapshotColumnsOf(selection));
  const given = columnsOf(sql, Object.keys(toLimits({ maxBytes: 0, groupsPerMember: 0 })));
  return `select given."directoryId" as directory_id, of_directory.*
    from jsonb_to_recordset(cast(:given as jsonb)) as given(${given.sql})
    cross join lateral (${bindToRows(sql, given.names, 'given')} offset 0) of_directory`;
}
const anyId = '00000000-0000-0000-0000-000000000000';

const namesOf = (columns: SnapshotColumn[]) => columns.map(({ name }) => name).join('-');
const bindingsOf = (columns: SnapshotColumn[]): Record<string, Knex.RawBinding> =>
  Object.assign({}, ...columns.map(({ bindings }) => bindings)) as Record<string, Knex.RawBinding>;
const toBindings = ({ directoryId, mutationIds, groupsMore }: SelectionRequest) => ({ directoryId, mutationIds, groupsMore });
const toLimits = ({ maxBytes, groupsPerMember }: SelectionLimits) => ({
  maxBytes,
  groupsPerMember,
  maxRows: Math.floor(maxBytes / rowBytes) + 1,
});

function compose(readings: SnapshotColumn[]): string {
  const lookedUp = readings.flatMap(({ sql }) => sql ?? []);
  const weights = readings.flatMap(({ weight }) => weight ?? []);
  return `with ${lookedUp.map((sql) => `${sql}, `).join('')}
       size as materialized (select ${weights.map((weight) => `coalesce((${weight}), 0)`).join(' + ') || '0'} as bytes)
       select d.revision, ${eventTotals}, e.url is not null as has_webhook, d.outcomes_trimmed_at, d.user_state_events, d.inactive_users,
         d.inactive_users_upto, d.type, d.attribute_mapping, d.role_table, a.attributes as attribute_schema, ${quotaColumns}, date_trunc('milliseconds', clock_timestamp()) as now,
         (select json_agg(outcome) from ${lookUpRows({ table: 'mutations', column: 'id', values: boundValues('mutationIds', 'uuid') })}) as known,
         cast(size.bytes as float8) as bytes
         ${readings.map(({ column, name }) => `, case when size.bytes <= :maxBytes then (${column}) end as ${nameOfColumn(name)}`).join('')}
       from directories d cross join size left join webhook_endpoints e on e.directory_id = d.id
         left join attribute_schemas a on a.product = d.product where d.id = :directoryId`;
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
    ...selectRolePlaces(selection),
  ];
}

export const toMemberships = (found: FoundMembers[]): Membership[] =>
  found.flatMap(([groupId, ids, kinds, displays, publicIds]) =>
    ids.map((memberId, index) => ({
      groupId,
      memberId,
      kind: kinds[index] === 'u' ? 'user' : 'group',
      display: displays?.[index] ?? null,
      publicId: publicIds?.[index] ?? undefined,
    })),
  );

export const toPendingMembers = (found: NonNullable<SelectionRow['pending']>): PendingMember[] =>
  found.map(([groupId, value, valueKey, display]) => ({ groupId, value, valueKey, display }));
