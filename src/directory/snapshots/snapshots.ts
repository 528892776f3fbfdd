import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import type { Act } from '../../audit/act.ts';
import { publicDirectoryId } from '../directories/former-ids.ts';
import { directoryNotFound } from '../errors.ts';
import { writeFeedCursor } from '../feed/event-feed.ts';
import { presentGroup, presentUser } from '../resources/directory-reader.ts';
import { createYieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import { type Clock, createPace, type Pace } from './pace.ts';
import type { OpenSnapshot, SnapshotStore } from './ports.ts';

interface SnapshotsDeps {
  store: SnapshotStore;
  recordAct(act: Act): Promise<void>;
  /** Whether changes arrive in this process, to which a snapshot gives way. */
  isIntakeBusy(): boolean;
  /** For all processes together; used in messages. */
  maxConcurrent: number;
  timeoutMs: number;
  clock?: Clock | undefined;
}

export type Snapshots = ReturnType<typeof createSnapshots>;

interface StartedSnapshot {
  /** Each string has whole lines. The first and the last line name the sequence. Without the last line, the snapshot is incomplete. */
  lines: AsyncGenerator<string>;
  /** Ends the transaction. Needed if no line was read: a generator that has not started cannot clean up. It can be called again. */
  close(): void;
}

/** Streams of all users, groups and memberships of a directory. */
export function createSnapshots({ store, recordAct, isIntakeBusy, maxConcurrent, timeoutMs, clock }: SnapshotsDeps) {
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
        const pace = createPace({ isBusy: isIntakeBusy, countWork: () => countWork(opened), timeoutMs, signal: controller.signal, clock });
        return { lines: writeLines(directoryId, snapshot, pace), close };
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

/** The work of a row, of that of a user. A membership is two IDs, and the database writes its line. */
const workPerRow = { users: 1, groups: 1, memberships: 0.03 };

async function countWork(snapshot: OpenSnapshot): Promise<number> {
  const { users, groups, memberships } = await snapshot.count();
  return users * workPerRow.users + groups * workPerRow.groups + memberships * workPerRow.memberships;
}

/** Shorter than in a request, because a snapshot is in no hurry. */
const maxSliceMs = 2;

async function* writeLines(directoryId: string, snapshot: OpenSnapshot, pace: Pace): AsyncGenerator<string> {
  const { sequence, tenant, product, takenAt } = snapshot;
  const counts = { users: 0, groups: 0, memberships: 0 };
  const pause = createYieldToEventLoop(undefined, maxSliceMs);
  try {
    const after = writeFeedCursor({ place: { sequence }, from: undefined }, { directoryId });
    const shownId = publicDirectoryId({ id: directoryId, tenant, product });
    yield toLine({ type: 'start', directory_id: shownId, tenant, product, sequence, after, taken_at: takenAt.toISOString() });
    yield* writePages('users', snapshot.users(), (users) => toLines(users, (user) => ({ type: 'user', data: presentUser(user) })));
    yield* writePages('groups', snapshot.groups(), (groups) => toLines(groups, (group) => ({ type: 'group', data: presentGroup(group) })));
    yield* writePages('memberships', snapshot.memberships(), (lines) => lines);
    // A caller that has read the last line may start another snapshot of the tenant.
    await snapshot.close();
    yield toLine({ type: 'end', sequence, after, ...counts });
  } finally {
    await snapshot.close();
  }

  async function* writePages<Page>(
    counted: keyof typeof counts,
    pages: AsyncIterable<Page>,
    write: (page: Page) => Promise<WrittenPage> | WrittenPage,
  ) {
    let endPage = pace.beginPage();
    for await (const page of pages) {
      const { count, text } = await write(page);
      counts[counted] += count;
      endPage(count * workPerRow[counted]);
      yield text;
      await pace.rest();
      endPage = pace.beginPage();
    }
  }

  /** Yields to the event loop between rows: a page of large documents would otherwise block the process. */
  async function toLines<Row>(rows: Row[], present: (row: Row) => object): Promise<WrittenPage> {
    let text = '';
    for (const row of rows) {
      text += toLine(present(row));
      const pausing = pause();
      if (pausing) await pausing;
    }
    return { count: rows.length, text };
  }
}

interface WrittenPage {
  count: number;
  text: string;
}

const toLine = (line: object) => `${JSON.stringify(line)}\n`;
