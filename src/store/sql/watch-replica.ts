import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from '../../logger.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import { cancelAfter } from './statement-scope.ts';

export interface ReplicaState {
  /** `unfit`: it is not a replica of this database. */
  status: 'used' | 'lagging' | 'away' | 'unfit';
  /** Unknown while it does not respond, and until it has caught up with something that was seen. */
  lagMs: number | undefined;
}

interface WatchOptions {
  primary: Knex;
  replica: Knex;
  maxLagMs: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

interface ReplicaWatch {
  state(): ReplicaState;
  /** A read could not reach the replica. */
  noteAway(error: unknown): void;
  /** Calls the listener when the replica must no longer be used. Returns a function that removes the listener. */
  onLeave(listener: () => void): () => void;
  stop(): Promise<void>;
}

const probeTimeoutMs = 1_000;
const everyMs = 1_000;

/** Compares a replica with its primary every second, and decides whether it may be read. */
export function watchReplica({ primary, replica, maxLagMs, log }: WatchOptions): ReplicaWatch {
  const lag = createLagMeter();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let state: ReplicaState = { status: 'away', lagMs: undefined };
  let logged: ReplicaState['status'] | undefined;
  let identity: string | undefined;
  const watching = run();

  return {
    state: () => state,
    noteAway: (error) => change({ status: 'away', lagMs: undefined }, error),
    onLeave(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      await watching;
    },
  };

  async function run() {
    while (!stopping.signal.aborted) {
      await probe().then(change, (error: unknown) => change({ status: 'away', lagMs: undefined }, error));
      await delay(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function probe(): Promise<ReplicaState> {
    // Without the primary, the measured lag grows.
    await markPrimary().catch(() => undefined);
    const found = await readPosition(replica, 'pg_last_wal_replay_lsn');
    // Another database would show the data of other directories.
    if (!found.isReplica || found.position === null || found.identity !== identity) return { status: 'unfit', lagMs: undefined };
    const lagMs = lag.lagMs(BigInt(found.position));
    return { status: lagMs !== undefined && lagMs <= maxLagMs ? 'used' : 'lagging', lagMs };
  }

  async function markPrimary() {
    const atMs = performance.now();
    const found = await readPosition(primary, 'pg_current_wal_lsn');
    if (found.position === null) return;
    ({ identity } = found);
    lag.mark(BigInt(found.position), atMs);
  }

  function change(next: ReplicaState, error?: unknown) {
    const wasUsed = state.status === 'used';
    state = next;
    if (wasUsed && next.status !== 'used') for (const listener of listeners) listener();
    if (next.status === logged || stopping.signal.aborted) return;
    logged = next.status;
    const lagMs = next.lagMs === undefined ? undefined : Math.round(next.lagMs);
    if (next.status === 'used') log.info({ lagMs }, 'lists and the feed are read from the replica');
    else
      log.warn(
        { replica: next.status, lagMs, ...(error !== undefined && { error: toLoggableMessage(error) }) },
        'lists and the feed are read from the primary',
      );
  }
}

interface FoundPosition {
  isReplica: boolean;
  /** In bytes. Null if the server has no such position: a primary replays nothing. */
  position: string | null;
  /** Of the cluster and its database. A streaming replica has that of its primary. */
  identity: string;
}

/** `pg_current_wal_lsn` fails on a replica. */
export async function readPosition(db: Knex, position: 'pg_current_wal_lsn' | 'pg_last_wal_replay_lsn'): Promise<FoundPosition> {
  const { rows } = await cancelAfter(probeTimeoutMs, () =>
    db.raw<{ rows: FoundPosition[] }>(
      `select pg_is_in_recovery() as "isReplica", cast(pg_wal_lsn_diff(${position}(), '0/0') as text) as position,
         concat_ws('-', (select system_identifier from pg_control_system()), (select oid from pg_database where datname = current_database()))
           as identity`,
    ),
  );
  return rows[0]!;
}

/** Marks are kept this long, so a longer lag is unknown. */
const keptMs = 600_000;

/**
 * Measures the lag of a replica: the time since the primary was where the replica is now. It needs no clock of a server, and also grows if the
 * replica has lost the primary. Positions are bytes of the write-ahead log.
 */
function createLagMeter(now: () => number = () => performance.now()) {
  let marks: { atMs: number; position: bigint }[] = [];
  return {
    /** The primary was there at `atMs`, or later. If it has not moved, the earlier mark is as good as this one. */
    mark(position: bigint, atMs: number) {
      marks = [...marks.filter((mark) => atMs - mark.atMs <= keptMs && mark.position !== position), { atMs, position }];
    },
    /** Undefined until the replica has reached a mark. */
    lagMs(replayed: bigint): number | undefined {
      const reached = marks.findLast(({ position }) => position <= replayed);
      return reached && now() - reached.atMs;
    },
  };
}
