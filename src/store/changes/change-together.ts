import type { Knex } from 'knex';
import type { Decide, Snapshot, Writes } from '../../directory/changes/snapshot.ts';
import type { Changed, ChangeStore } from '../../directory/ports.ts';
import type { Quotas } from '../../directory/quotas.ts';
import { isDatabaseAway } from '../sql/outages.ts';
import { namedUsers } from './find-hidden.ts';
import { readSnapshots } from './read-snapshot.ts';
import type { WriteRequest } from './write-changes.ts';
import { writeTogether } from './write-together.ts';

interface TogetherOptions {
  wakes: boolean;
  quotas: Quotas;
  /** A directory that reads or writes more is left out, so that one result stays small. */
  maxBytes: number;
}

type Changes = Parameters<ChangeStore['changeTogether']>[0];

export async function changeTogether(
  db: Knex,
  changes: Changes,
  { onFailure, ...options }: TogetherOptions & { onFailure?: ((error: unknown) => void) | undefined },
): Promise<Map<string, Changed>> {
  try {
    return await readAndWrite(db, changes, options);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    onFailure?.(error);
    return new Map();
  }
}

async function readAndWrite(db: Knex, changes: Changes, { wakes, quotas, maxBytes }: TogetherOptions): Promise<Map<string, Changed>> {
  const snapshots = await readSnapshots(
    db,
    changes.map(({ request }) => request),
    { maxBytes, quotas },
  );
  const changed = new Map<string, Changed>();
  const requests: WriteRequest[] = [];
  for (const { request, decide } of changes) {
    const { directoryId, shownUsers } = request;
    const snapshot = snapshots.get(directoryId);
    // Where inactive users are hidden, a change of members or of `active` has more to read.
    if (!snapshot || (snapshot.hiding && (request.widen?.(snapshot.users) || namedUsers(snapshot).size > 0))) continue;
    const writes = await tryToDecide(decide, snapshot);
    if (!writes) continue;
    // Nothing to write. Known outcomes still need the write, because their first run may not have woken the delivery.
    if (writes.outcomes.length === 0 && snapshot.knownOutcomes.length === 0) changed.set(directoryId, { wake: false });
    else if (writes.bytes <= maxBytes) requests.push({ directoryId, snapshot, writes, wakes, returnsEvents: false, shownUsers });
  }
  if (requests.length === 0) return changed;
  return new Map([...changed, ...(await writeTogether(db, requests, { maxBytes }))]);
}

/** What fails for one directory concerns no other: it fails again when that directory is tried alone. */
async function tryToDecide(decide: Decide, snapshot: Snapshot): Promise<Writes | undefined> {
  try {
    return await decide(snapshot);
  } catch {
    return undefined;
  }
}
