import type { Knex } from 'knex';
import type { Snapshot } from '../../directory/changes/snapshot.ts';
import type { Wanted } from '../../directory/changes/wanted.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { createPause } from '../../shared/pause.ts';
import { toGroup } from '../groups/group-rows.ts';
import { toUndeliveredBytes } from '../directories/history-totals.ts';
import { toUsage, toOwnQuotas } from '../directories/quota-columns.ts';
import { toUser } from '../users/user-rows.ts';
import { dividePiece, emptyPiece, wholePiece, type DividedPiece } from './selection.ts';
import { findGroupsConcerned, readPiece, toMemberships, toParked, type PieceRow } from './read-selection.ts';

/** The directory as it was at one moment, and how to tell whether it still is so. */
export interface ReadSnapshot extends Snapshot {
  revision: number;
  /** Of all events so far. */
  eventBytes: number;
  memberCounts: Map<string, number>;
  groupCounts: Map<string, number>;
  /** Of memory that it takes. */
  bytes: number;
}

export interface SnapshotRequest {
  directoryId: string;
  mutationIds: string[];
  wanted: Wanted;
}

/** Of one statement, where a snapshot is read by several: what it gives is parsed in one go. */
const maxPieceBytes = 4_194_304;
/** A snapshot that names more is read by several statements. */
const [maxResources, maxValues] = [64, 1_000];
/** Values that one statement looks up, where they are many. */
const maxValuesAtOnce = 8_000;

/**
 * Reads what is wanted by one statement. Gives `large` without reading it if it would take more than `maxBytes`, or may; then
 * `readLargeSnapshot` does.
 */
export async function readSnapshot(
  db: Knex | Knex.Transaction,
  request: SnapshotRequest,
  { maxBytes, quotas }: { maxBytes: number; quotas: Quotas },
): Promise<ReadSnapshot | 'large' | 'gone'> {
  const { wanted } = request;
  if (wanted.userIds.size + wanted.groupIds.size > maxResources || countValues(wanted) > maxValues) return 'large';
  const row = await readPiece(db, { ...toPieceRequest(request, quotas), maxBytes }, wholePiece(wanted));
  if (!row) return 'gone';
  if (row.bytes > maxBytes) return 'large';
  const snapshot = startSnapshot(row, quotas);
  addTo(snapshot, row);
  return snapshot;
}

/**
 * Reads it by several statements, which must see the same moment. What would take more than `maxBytes` is not read: then the snapshot has
 * `isOverBudget`, and nothing else than the outcomes that are known.
 */
export async function readLargeSnapshot(
  db: Knex.Transaction,
  request: SnapshotRequest,
  { maxBytes, quotas }: { maxBytes: number; quotas: Quotas },
): Promise<ReadSnapshot | 'gone'> {
  const { directoryId, wanted } = request;
  const pieceRequest = toPieceRequest(request, quotas);
  const head = await readPiece(db, { ...pieceRequest, maxBytes }, emptyPiece());
  if (!head) return 'gone';
  const snapshot = startSnapshot(head, quotas);
  const groupIds = new Set([...wanted.groupIds, ...(await findGroupsConcerned(db, directoryId, wanted))]);
  const seen = { members: new Set<string>(), parked: new Set<string>() };
  const repeated = { members: false, parked: false };
  const pause = createPause();
  for (const part of dividePiece({ ...wholePiece(wanted), groupIds, namesAllGroups: true })) {
    if (!(await readPart(part))) return { ...startSnapshot(head, quotas), isOverBudget: true };
  }
  // A member may be asked for by its name, and with all of its group.
  if (repeated.members) snapshot.memberships = distinct(snapshot.memberships, ({ groupId, memberId }) => `${groupId} ${memberId}`);
  if (repeated.parked) snapshot.parked = distinct(snapshot.parked, ({ groupId, valueKey }) => `${groupId} ${valueKey}`);
  return snapshot;

  /** Reads the values of a part some at a time: as many as fit into a statement. False if they are too much. */
  async function readPart({ piece, by, first }: DividedPiece): Promise<boolean> {
    const values = [...piece[by]];
    let count = first;
    for (let from = 0; from < values.length;) {
      const some = values.slice(from, from + count);
      const left = maxBytes - snapshot.bytes;
      const row = await readPiece(
        db,
        { ...pieceRequest, mutationIds: [], maxBytes: some.length === 1 ? left : Math.min(left, maxPieceBytes) },
        { ...piece, [by]: new Set(some) },
      );
      if (!row) return false;
      if (row.bytes > left || (row.bytes > maxPieceBytes && some.length > 1)) {
        if (some.length === 1) return false;
        count = Math.ceil(some.length / 2);
        continue;
      }
      noteGroups('members', row.memberships);
      noteGroups('parked', row.parked);
      addTo(snapshot, row);
      from += some.length;
      if (row.bytes < maxPieceBytes / 4) count = Math.min(maxValuesAtOnce, some.length * 2);
      await pause();
    }
    return true;
  }

  /** Whether a group is in what several statements gave. */
  function noteGroups(kind: keyof typeof seen, rows: readonly (readonly [groupId: string, ...unknown[]])[] | null | undefined) {
    const groups = new Set((rows ?? []).map(([groupId]) => groupId));
    for (const group of groups) {
      repeated[kind] ||= seen[kind].has(group);
      seen[kind].add(group);
    }
  }
}

/** Of those with the same key, the last. */
function distinct<Item>(items: Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

/** Each group that is created is among those that may have been waited for. */
const toPieceRequest = ({ directoryId, mutationIds, wanted }: SnapshotRequest, { groupsPerMember }: Quotas) => ({
  directoryId,
  mutationIds,
  groupsPerMember,
  groupsMore: wanted.arriving.size,
});

const countValues = (wanted: Wanted) => Object.values(wanted).reduce((sum, values: Set<string>) => sum + values.size, 0);

function startSnapshot(row: PieceRow, limits: Quotas): ReadSnapshot {
  return {
    revision: row.revision,
    bytes: 0,
    lastSequence: row.last_sequence,
    now: row.now,
    holds: toUsage(row),
    quotas: { limits, own: toOwnQuotas(row.quotas) },
    eventBytes: row.event_bytes ?? 0,
    outcomesTrimmedAt: row.outcomes_trimmed_at ?? undefined,
    undeliveredBytes: row.has_webhook ? toUndeliveredBytes(row) : 0,
    memberCounts: new Map(),
    groupCounts: new Map(),
    known: row.known ?? [],
    users: [],
    groups: [],
    userNames: [],
    groupNames: [],
    memberships: [],
    parked: [],
  };
}

function addTo(snapshot: ReadSnapshot, row: PieceRow): void {
  snapshot.bytes += row.bytes;
  append(snapshot.users, (row.users ?? []).map(toUser));
  append(snapshot.groups, (row.groups ?? []).map(toGroup));
  for (const group of row.groups ?? []) snapshot.memberCounts.set(group.id, group.member_count);
  for (const [id, groups] of row.counts ?? []) snapshot.groupCounts.set(id, groups);
  for (const [id, kind, nameKey, externalId] of row.names ?? []) {
    if (kind === 'user') snapshot.userNames.push({ id, userNameKey: nameKey, externalId });
    else snapshot.groupNames.push({ id, displayNameKey: nameKey, externalId });
  }
  append(snapshot.memberships, toMemberships(row.memberships ?? []));
  append(snapshot.parked, toParked(row.parked ?? []));
}

function append<Item>(items: Item[], more: Item[]): void {
  for (const item of more) items.push(item);
}
