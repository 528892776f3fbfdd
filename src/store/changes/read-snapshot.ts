import type { Knex } from 'knex';
import type { Snapshot } from '../../directory/changes/snapshot.ts';
import type { ReadSet } from '../../directory/changes/read-set.ts';
import { toHiding } from '../../directory/directories/hiding.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { toGroup } from '../groups/group-rows.ts';
import { toOwnQuotas, toUndeliveredBytes, toUsage } from '../directories/quotas.ts';
import { toUser } from '../users/user-rows.ts';
import { splitSelection, selectNothing, selectAll, type SelectionPart } from './selection.ts';
import { findGroupsConcerned } from './select-resources.ts';
import { readSelection, readSelections, toMemberships, toPendingMembers, type SelectionRow } from './read-selection.ts';

/** A consistent snapshot of a directory. `revision` shows later whether the directory has changed. */
export interface ReadSnapshot extends Snapshot {
  revision: number;
  /** The total bytes of all events so far. */
  eventBytes: number;
  memberCounts: Map<string, number>;
  groupCounts: Map<string, number>;
  rolePlaces: Map<string, number[]>;
  /** The memory that the snapshot takes. */
  bytes: number;
}

export interface SnapshotRequest {
  directoryId: string;
  mutationIds: string[];
  wanted: ReadSet;
}

/** Limit for the result of one statement of a large snapshot, since a result is parsed in one go. */
export const maxStatementBytes = 4_194_304;
/** A snapshot with more resources or values is read by several statements. */
const [maxResources, maxValues] = [64, 1_000];
/** Limit for the values that one statement of a large snapshot looks up. */
const maxValuesPerStatement = 8_000;

/**
 * Reads a snapshot with one statement. Returns `large`, without reading it, if it takes or may take more than `maxBytes`. Use
 * `readLargeSnapshot` then.
 */
export async function readSnapshot(
  db: Knex | Knex.Transaction,
  request: SnapshotRequest,
  { maxBytes, quotas }: { maxBytes: number; quotas: Quotas },
): Promise<ReadSnapshot | 'large' | 'gone'> {
  if (hasManyRows(request)) return 'large';
  const row = await readSelection(db, toSelectionRequest(request), toLimits(maxBytes, quotas), selectAll(request.wanted));
  if (!row) return 'gone';
  return row.bytes > maxBytes ? 'large' : toSnapshot(row, quotas);
}

/** Reads the snapshots of several directories with one statement. Leaves out those that are gone, or where `readSnapshot` returns `large`. */
export async function readSnapshots(
  db: Knex,
  requests: SnapshotRequest[],
  { maxBytes, quotas }: { maxBytes: number; quotas: Quotas },
): Promise<Map<string, ReadSnapshot>> {
  const small = requests.filter((request) => !hasManyRows(request));
  const selected = small.map((request) => ({ ...toSelectionRequest(request), selection: selectAll(request.wanted) }));
  const rows = await readSelections(db, selected, toLimits(maxBytes, quotas));
  return new Map(
    [...rows].filter(([, { bytes }]) => bytes <= maxBytes).map(([directoryId, row]) => [directoryId, toSnapshot(row, quotas)]),
  );
}

const hasManyRows = ({ wanted }: SnapshotRequest): boolean =>
  wanted.userIds.size + wanted.groupIds.size > maxResources + wanted.recomputed.size || countValues(wanted) > maxValues;

function toSnapshot(row: SelectionRow, quotas: Quotas): ReadSnapshot {
  const snapshot = startSnapshot(row, quotas);
  addTo(snapshot, row);
  return snapshot;
}

/**
 * Reads a snapshot with several statements. The transaction must give them a consistent view. If the snapshot would take more than `maxBytes`,
 * it has `overBudget` and only the known outcomes.
 */
export async function readLargeSnapshot(
  db: Knex.Transaction,
  request: SnapshotRequest,
  { maxBytes, quotas }: { maxBytes: number; quotas: Quotas },
): Promise<ReadSnapshot | 'gone'> {
  const { directoryId, wanted } = request;
  const selectionRequest = toSelectionRequest(request);
  const head = await readSelection(db, selectionRequest, toLimits(maxBytes, quotas), selectNothing());
  if (!head) return 'gone';
  const snapshot = startSnapshot(head, quotas);
  const groupIds = new Set([...wanted.groupIds, ...(await findGroupsConcerned(db, directoryId, wanted))]);
  const seen = { members: new Set<string>(), pending: new Set<string>() };
  const repeated = { members: false, pending: false };
  const pause = createYieldToEventLoop();
  for (const part of splitSelection({ ...selectAll(wanted), groupIds, namesAllGroups: true })) {
    if (!(await readPart(part))) return { ...startSnapshot(head, quotas), overBudget: 'rows' };
  }
  // The same member may be selected by its name and with all members of its group.
  if (repeated.members) snapshot.memberships = distinct(snapshot.memberships, ({ groupId, memberId }) => `${groupId} ${memberId}`);
  if (repeated.pending) snapshot.pendingMembers = distinct(snapshot.pendingMembers, ({ groupId, valueKey }) => `${groupId} ${valueKey}`);
  return snapshot;

  /** Reads a part in batches that fit into a statement. Returns false if the snapshot exceeds its limit. */
  async function readPart({ selection, by, first }: SelectionPart): Promise<boolean> {
    const values = [...selection[by]];
    let count = first;
    for (let from = 0; from < values.length;) {
      const some = values.slice(from, from + count);
      const left = maxBytes - snapshot.bytes;
      const row = await readSelection(
        db,
        { ...selectionRequest, mutationIds: [] },
        toLimits(some.length === 1 ? left : Math.min(left, maxStatementBytes), quotas),
        { ...selection, [by]: new Set(some) },
      );
      if (!row) return false;
      if (row.bytes > left || (row.bytes > maxStatementBytes && some.length > 1)) {
        if (some.length === 1) return false;
        count = Math.ceil(some.length / 2);
        continue;
      }
      noteGroups('members', row.memberships);
      noteGroups('pending', row.pending);
      addTo(snapshot, row);
      from += some.length;
      if (row.bytes < maxStatementBytes / 4) count = Math.min(maxValuesPerStatement, some.length * 2);
      await pause();
    }
    return true;
  }

  /** Records whether several statements returned the same group. */
  function noteGroups(kind: keyof typeof seen, rows: readonly (readonly [groupId: string, ...unknown[]])[] | null | undefined) {
    const groups = new Set((rows ?? []).map(([groupId]) => groupId));
    for (const group of groups) {
      repeated[kind] ||= seen[kind].has(group);
      seen[kind].add(group);
    }
  }
}

/** Keeps the last item of each key. */
function distinct<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** Each created group has a new name that pending members may wait for, so `arriving` bounds the number of new groups. */
const toSelectionRequest = ({ directoryId, mutationIds, wanted }: SnapshotRequest) => ({
  directoryId,
  mutationIds,
  groupsMore: wanted.arriving.size,
});
const toLimits = (maxBytes: number, { groupsPerMember }: Quotas) => ({ maxBytes, groupsPerMember });

const countValues = (wanted: ReadSet) => Object.values(wanted).reduce((sum, values: Set<string>) => sum + values.size, 0);

function startSnapshot(row: SelectionRow, limits: Quotas): ReadSnapshot {
  return {
    revision: row.revision,
    bytes: 0,
    lastSequence: row.last_sequence,
    now: row.now,
    userStateEvents: row.user_state_events,
    hiding: toHiding(row.inactive_users, row.inactive_users_upto),
    hidden: new Set(),
    attributeRules: row.attribute_schema
      ? { type: row.type, schema: row.attribute_schema, mapping: row.attribute_mapping ?? {} }
      : undefined,
    roleTable: row.role_table ?? undefined,
    rolePlaces: new Map(),
    usage: toUsage(row),
    quotas: { limits, own: toOwnQuotas(row.quotas) },
    eventBytes: row.event_bytes ?? 0,
    outcomesTrimmedAt: row.outcomes_trimmed_at ?? undefined,
    undeliveredBytes: row.has_webhook ? toUndeliveredBytes(row) : 0,
    memberCounts: new Map(),
    groupCounts: new Map(),
    knownOutcomes: row.known ?? [],
    users: [],
    groups: [],
    userNames: [],
    groupNames: [],
    memberships: [],
    pendingMembers: [],
  };
}

function addTo(snapshot: ReadSnapshot, row: SelectionRow): void {
  snapshot.bytes += row.bytes;
  append(snapshot.users, (row.users ?? []).map(toUser));
  append(snapshot.groups, (row.groups ?? []).map(toGroup));
  for (const group of row.groups ?? []) snapshot.memberCounts.set(group.id, group.member_count);
  for (const [id, groups] of row.counts ?? []) snapshot.groupCounts.set(id, groups);
  for (const [id, places] of row.places ?? []) snapshot.rolePlaces.set(id, places);
  for (const [id, kind, nameKey, externalId, publicId] of row.names ?? []) {
    const names = { id, publicId: publicId ?? undefined, externalId };
    if (kind === 'user') snapshot.userNames.push({ ...names, userNameKey: nameKey });
    else snapshot.groupNames.push({ ...names, displayNameKey: nameKey });
  }
  append(snapshot.memberships, toMemberships(row.memberships ?? []));
  append(snapshot.pendingMembers, toPendingMembers(row.pending ?? []));
}

function append<Item>(items: Item[], more: Item[]): void {
  for (const item of more) items.push(item);
}
