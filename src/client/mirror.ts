import type { Client } from './generated/client.ts';
import type { DirectoryEvent } from './generated/types.ts';
import type { ClientError, Failure, Success } from './result.ts';
import { SnapshotError, type SnapshotLine } from './snapshot.ts';

/** A row of a snapshot. */
export type MirrorRow = Extract<SnapshotLine, { type: 'user' | 'group' | 'membership' }>;
/** An event whose body is still kept. */
export type MirrorEvent = DirectoryEvent & { data: NonNullable<DirectoryEvent['data']> };

/**
 * The tables of an application. Each method is one transaction, and rejects if it could not be committed. All that write compare the progress
 * that is stored with what is expected, in that transaction: otherwise two mirrors of one directory would undo each other's work.
 */
export interface MirrorStore {
  /** The cursor that was stored last; undefined if a snapshot is needed. */
  readCursor(): Promise<string | undefined>;
  /**
   * Stores the ID of a snapshot whose first line has arrived, and deletes the cursor. The ID replaces that of an earlier snapshot, which
   * must fail from then on. Without a cursor, every restart takes a snapshot until one is complete, and nobody applies events meanwhile.
   */
  beginSnapshot(snapshotId: string): Promise<void>;
  /** Inserts or updates rows, and marks them with the snapshot. Returns false, and changes nothing, if another snapshot has begun. */
  writeSnapshot(snapshotId: string, rows: MirrorRow[]): Promise<boolean>;
  /** Deletes all rows without the mark of the snapshot, and stores the cursor. Returns false if another snapshot has begun. */
  endSnapshot(snapshotId: string, cursor: string): Promise<boolean>;
  /** Applies events in their order, and stores the cursor `to`. Returns false, and changes nothing, if the stored cursor is not `from`. */
  applyEvents(events: MirrorEvent[], progress: { from: string; to: string }): Promise<boolean>;
}

export interface MirrorOptions {
  directoryId: string;
  /** Whether to wait for further events, until the signal is aborted; default: true. If false, it ends at the first failure. */
  follow?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called for each failure after which the mirror tries again. It does so only if it follows. */
  onRetry?: ((error: ClientError) => void) | undefined;
}

/** What a mirror has done. */
export interface Mirrored {
  snapshots: number;
  events: number;
}

const rowsPerWrite = 500;
const eventsPerPage = 500;
const waitSeconds = 25;
const maxPauseMs = 30_000;
/**
 * A directory whose event bodies are deleted at once would otherwise be read as a whole for each change, and one that is too large for the
 * time limit again and again.
 */
const defaultSnapshotEveryMs = 60_000;
/** Codes of failures that may not occur again. */
const transientCodes = new Set(['unreachable', 'unavailable', 'rate_limited', 'internal']);
/** A load balancer responds with its own pages while Rollcall is unavailable. */
const isTransient = ({ error, status }: Failure) => transientCodes.has(error.code) || (error.code === 'invalid_response' && status >= 500);

interface MirrorDeps {
  events: Client['events'];
  readSnapshot(directoryId: string, options: { signal?: AbortSignal | undefined }): AsyncIterable<SnapshotLine>;
  /** Tests use a shorter time. */
  snapshotEveryMs?: number;
}

/**
 * Keeps the tables of an application in step with a directory: a snapshot first, then the feed. It may be stopped and started at any time. It
 * takes a new snapshot when events that it has not read are no longer kept. A failure of the store rejects; those of the service do not.
 */
export async function mirror(
  { events: feed, readSnapshot, snapshotEveryMs = defaultSnapshotEveryMs }: MirrorDeps,
  store: MirrorStore,
  { directoryId, follow = true, signal, onRetry }: MirrorOptions,
): Promise<Success<Mirrored> | Failure> {
  const done: Mirrored = { snapshots: 0, events: 0 };
  let snapshotAtMs: number | undefined;
  for (let failures = 0; ;) {
    const step = await runStep();
    if (signal?.aborted || step === 'ended') return { data: done, error: null, status: 200 };
    if (step === 'continued') failures = 0;
    else {
      if (!follow || !isTransient(step)) return step;
      const { retryAfterSeconds } = step.error;
      onRetry?.(step.error);
      await pause(retryAfterSeconds === undefined ? Math.min(maxPauseMs, 500 * 2 ** failures) : retryAfterSeconds * 1_000, signal);
      failures = Math.min(failures + 1, 10);
    }
  }

  async function runStep(): Promise<'continued' | 'ended' | Failure> {
    const cursor = await store.readCursor();
    return cursor === undefined ? loadSnapshot() : readEvents(cursor);
  }

  async function readEvents(from: string): Promise<'continued' | 'ended' | Failure> {
    const query = { directory_id: directoryId, after: from, limit: eventsPerPage, wait: follow ? waitSeconds : 0 };
    const page = await feed.list(query, { signal });
    if (page.error?.code === 'cursor_expired') return loadSnapshot();
    if (page.error) return page;
    const { after: to, has_more: hasMore } = page.list_metadata;
    // The bodies of these events were deleted, so only a new snapshot has their changes.
    if (!page.data.every(hasBody)) return loadSnapshot();
    if (to !== null && to !== from) {
      if (!(await store.applyEvents(page.data, { from, to }))) return mirroredElsewhere;
      done.events += page.data.length;
    }
    return hasMore || follow ? 'continued' : 'ended';
  }

  async function loadSnapshot(): Promise<'continued' | Failure> {
    if (snapshotAtMs !== undefined) await pause(snapshotAtMs + snapshotEveryMs - Date.now(), signal);
    if (signal?.aborted) return 'continued';
    const snapshotId = globalThis.crypto.randomUUID();
    let hasBegun = false;
    let rows: MirrorRow[] = [];
    try {
      for await (const line of readSnapshot(directoryId, { signal })) {
        // A snapshot that fails later counts too. One that was rejected does not, because it cost nothing.
        snapshotAtMs = Date.now();
        // The cursor is given up only now: a snapshot that is refused must not cost a cursor that is still good.
        if (!hasBegun) await store.beginSnapshot(snapshotId);
        hasBegun = true;
        if (line.type === 'end') {
          if (rows.length > 0 && !(await store.writeSnapshot(snapshotId, rows))) return mirroredElsewhere;
          if (!(await store.endSnapshot(snapshotId, line.after))) return mirroredElsewhere;
          done.snapshots += 1;
          return 'continued';
        }
        // A later version may have more types of lines.
        if (line.type !== 'user' && line.type !== 'group' && line.type !== 'membership') continue;
        rows.push(line);
        if (rows.length < rowsPerWrite) continue;
        if (!(await store.writeSnapshot(snapshotId, rows))) return mirroredElsewhere;
        rows = [];
      }
    } catch (error) {
      if (error instanceof SnapshotError) return failed(error.details, error.status);
      throw error;
    }
    return failed({ code: 'unreachable', message: 'The snapshot has no last line: begin again.' });
  }
}

const hasBody = (event: DirectoryEvent): event is MirrorEvent => event.data !== null;

const failed = (error: ClientError, status = 0): Failure => ({ data: null, error, status });

const mirroredElsewhere = failed({
  code: 'mirrored_elsewhere',
  message: 'Another process mirrors the same directory into the same tables: run only one.',
});

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
