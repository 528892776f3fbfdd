import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { directoryNotFound, notFound } from '../errors.ts';
import { isPublicId, toResourceKey } from '../resources/resource-ids.ts';

export const reconciledTypes = ['users', 'groups', 'members'] as const;
export type ReconciledType = (typeof reconciledTypes)[number];

/** Members have no hash. */
export interface StoredItem {
  id: string;
  hash: string | null;
}

/** A range of IDs, in the order of their bytes: after `after`, up to `until` or all that follow. */
export interface ReconciledRange {
  type: ReconciledType;
  directoryId: string;
  /** The key of the group whose members are compared. */
  groupKey: string | undefined;
  after: string;
  until: string | undefined;
  withHashes: boolean;
  limit: number;
}

export interface DriftStore {
  /** The resources in a range, in the order of their IDs. Undefined if there is no such directory, or group. */
  readRange(range: ReconciledRange, signal: AbortSignal): Promise<StoredItem[] | undefined>;
}

export interface ReconcileRequest {
  type: ReconciledType;
  groupId: string | undefined;
  /** The `nextAfter` of the previous page. */
  after: string;
  items: { id: string; hash?: string | undefined }[];
  /** Whether these items are the last ones of the application. */
  isLast: boolean;
}

export interface Drift {
  missing: string[];
  unknown: string[];
  different: string[];
  /** Undefined when everything has been compared. */
  nextAfter: string | undefined;
}

export const maxReconciledItems = 500;
export const maxMissing = 500;

export type Reconcile = ReturnType<typeof createReconcile>;

/** Compares what an application has with a directory, page by page. */
export function createReconcile({ store }: { store: DriftStore }) {
  return async function reconcile(directoryId: string, request: ReconcileRequest, signal: AbortSignal): Promise<Drift> {
    if (!isId(directoryId)) throw directoryNotFound();
    const { type, groupId, after, items, isLast } = request;
    assertInOrder(after, items);
    if ((type === 'members') !== (groupId !== undefined))
      throw invalid('group_id', 'group_id is required for members, and for nothing else.');
    if (groupId !== undefined && !isPublicId(groupId)) throw notFound('group');
    const until = isLast ? undefined : items.at(-1)?.id;
    if (until === undefined && !isLast) throw invalid('items', 'items must not be empty unless last is true.');
    const withHashes = items.some(({ hash }) => hash !== undefined);
    // All items may be equal, `maxMissing` may be missing, and one more row shows that there are more.
    const limit = items.length + maxMissing + 1;
    const groupKey = groupId === undefined ? undefined : toResourceKey(groupId);
    const stored = await store.readRange({ type, directoryId, groupKey, after, until, withHashes, limit }, signal);
    if (!stored) throw type === 'members' ? notFound('group') : directoryNotFound();
    return compare(stored, request, stored.length === limit);
  };
}

/** Ends at the last missing ID that fits into the response. The next request compares the rest. */
function compare(stored: StoredItem[], { items, isLast }: ReconcileRequest, isCut: boolean): Drift {
  const hashes = new Map(items.map(({ id, hash }) => [id, hash]));
  const allMissing = stored.filter(({ id }) => !hashes.has(id));
  const end = allMissing.length > maxMissing ? allMissing[maxMissing - 1]!.id : isCut ? stored.at(-1)!.id : undefined;
  const isWithin = ({ id }: { id: string }) => end === undefined || compareBytes(id, end) <= 0;
  const storedHashes = new Map(stored.map(({ id, hash }) => [id, hash]));
  const compared = items.filter(isWithin);
  const last = items.at(-1)?.id;
  return {
    missing: allMissing.filter(isWithin).map(({ id }) => id),
    unknown: compared.filter(({ id }) => !storedHashes.has(id)).map(({ id }) => id),
    different: compared
      .filter(({ id, hash }) => hash !== undefined && storedHashes.has(id) && storedHashes.get(id) !== hash.toLowerCase())
      .map(({ id }) => id),
    nextAfter: end ?? (isLast ? undefined : last),
  };
}

/** Compares as the collation "C" of Postgres does. JavaScript orders characters beyond U+FFFF differently. */
const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

function assertInOrder(after: string, items: { id: string }[]): void {
  let before = after;
  for (const { id } of items) {
    if (compareBytes(before, id) >= 0)
      throw invalid('items', 'items must be in the order of the bytes of their IDs, each ID once, and follow after.');
    before = id;
  }
}

const invalid = (field: string, message: string) => new AppError('invalid_request', message, { field });
