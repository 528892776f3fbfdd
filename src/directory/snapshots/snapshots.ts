import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import type { Act } from '../../audit/act.ts';
import { publicDirectoryId } from '../directories/former-ids.ts';
import { directoryNotFound } from '../errors.ts';
import { writeFeedCursor } from '../feed/event-feed.ts';
import { presentGroup, presentUser } from '../resources/directory-reader.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import type { OpenSnapshot, SnapshotStore } from './ports.ts';

interface SnapshotsDeps {
  store: SnapshotStore;
  recordAct(act: Act): Promise<void>;
  /** For all processes together; used in messages. */
  maxConcurrent: number;
  timeoutMs: number;
}

export type Snapshots = ReturnType<typeof createSnapshots>;

interface StartedSnapshot {
  /** Each string has whole lines. The first and the last line name the sequence. Without the last line, the snapshot is incomplete. */
  lines: AsyncGenerator<string>;
  /** Ends the transaction. Needed if no line was read: a generator that has not started cannot clean up. It can be called again. */
  close(): void;
}

/** Streams of all users, groups and memberships of a directory. */
export function createSnapshots({ store, recordAct, maxConcurrent, timeoutMs }: SnapshotsDeps) {
  return {
    /** Holds a transaction, at most for `timeoutMs`, until the last line is read or `close` is called. */
    async start(directoryId: string, caller: AbortSignal): Promise<StartedSnapshot> {
      if (!isId(directoryId)) throw directoryNotFound();
      const controller = new AbortController();
      const abort = (reason: unknown) => controller.abort(reason);
      const abortWithCaller = () => abort(caller.reason);
      const timer = setTimeout(() => abort(tooSlow(timeoutMs)), timeoutMs);
      caller.addEventListener('abort', abortWithCaller);
      const cleanUp = () => {
        clearTimeout(timer);
        caller.removeEventListener('abort', abortWithCaller);
      };
      try {
        const opened = await store.open(directoryId, controller.signal);
        if (!opened) throw directoryNotFound();
        if ('busy' in opened) throw tooMany(opened.busy, maxConcurrent);
        const snapshot = { ...opened, close: () => opened.close().finally(cleanUp) };
        await recordAct({
          action: 'directory.exported',
          directory: { id: directoryId, tenant: opened.tenant, product: opened.product },
        }).catch(async (error: unknown) => {
          await snapshot.close();
          throw error;
        });
        if (controller.signal.aborted) throw controller.signal.reason;
        const close = () => {
          cleanUp();
          abort(new AppError('unavailable', 'The snapshot was closed.'));
        };
        return { lines: writeLines(directoryId, snapshot), close };
      } catch (error) {
        cleanUp();
        throw error;
      }
    },
  };
}

const tooMany = (busy: 'tenant' | 'deployment', maxConcurrent: number) =>
  new AppError(
    'unavailable',
    busy === 'tenant'
      ? "Another snapshot of this directory's tenant is being read; try again when it has ended."
      : `${maxConcurrent} snapshots are being read, which is all that SNAPSHOTS allows; try again.`,
  );

const tooSlow = (timeoutMs: number) =>
  new AppError('unavailable', `The snapshot took longer than the ${timeoutMs} ms that SNAPSHOT_TIMEOUT_MS allows.`);

async function* writeLines(directoryId: string, snapshot: OpenSnapshot): AsyncGenerator<string> {
  const { sequence, tenant, product, takenAt } = snapshot;
  const counts = { users: 0, groups: 0, memberships: 0 };
  const pause = createYieldToEventLoop();
  try {
    const after = writeFeedCursor({ place: { sequence }, from: undefined }, { directoryId });
    const shownId = publicDirectoryId({ id: directoryId, tenant, product });
    yield toLine({ type: 'start', directory_id: shownId, tenant, product, sequence, after, taken_at: takenAt.toISOString() });
    yield* writeRows(snapshot.users(), 'users', (user) => ({ type: 'user', data: presentUser(user) }));
    yield* writeRows(snapshot.groups(), 'groups', (group) => ({ type: 'group', data: presentGroup(group) }));
    yield* writeRows(snapshot.memberships(), 'memberships', ({ groupId, userId }) => ({
      type: 'membership',
      data: { group_id: groupId, user_id: userId },
    }));
    // A caller that has read the last line may start another snapshot of the tenant.
    await snapshot.close();
    yield toLine({ type: 'end', sequence, after, ...counts });
  } finally {
    await snapshot.close();
  }

  /** Yields to the event loop between rows: a page of large documents would otherwise block the process. */
  async function* writeRows<Row>(pages: AsyncIterable<Row[]>, counted: keyof typeof counts, present: (row: Row) => object) {
    for await (const rows of pages) {
      let text = '';
      for (const row of rows) {
        text += toLine(present(row));
        const pausing = pause();
        if (pausing) await pausing;
      }
      counts[counted] += rows.length;
      yield text;
    }
  }
}

const toLine = (line: object) => `${JSON.stringify(line)}\n`;
