import type { Knex } from 'knex';
import type { Logger } from '../../logger.ts';
import { type Pooler, openDatabase } from '../database.ts';
import { isDatabaseAway } from './outages.ts';
import { type ReadLimits, type RunRead, openReadPools } from './run-read.ts';
import { createStatementScope, currentScope } from './statement-scope.ts';
import { type ReplicaState, watchReplica } from './watch-replica.ts';

interface ReadReplicaOptions {
  url: string;
  pooler: Pooler;
  poolSize: number;
  /** A replica that lags more is not used. */
  maxLagMs: number;
  limits: Omit<ReadLimits, 'readOwnLimit'>;
  primary: Knex;
  /** Runs a read on the primary. */
  runRead: RunRead;
  log: Pick<Logger, 'info' | 'warn'>;
}

export interface ReadReplica {
  /** Reads from the replica if it may be used, otherwise from the primary. */
  runRead: RunRead;
  countSearches(directoryId: string): number;
  state(): ReplicaState;
  /** How many reads each server has answered. */
  reads: Readonly<Record<'replica' | 'primary', number>>;
  close(): Promise<void>;
}

/** Less than the time that callers wait, so that a read that cannot connect is repeated on the primary in time. */
const connectTimeoutMs = 1_000;

/** Answers reads that may be out of date. What the replica fails, at the beginning or in progress, is read from the primary. */
export function createReadReplica({ url, pooler, poolSize, maxLagMs, limits, primary, runRead, log }: ReadReplicaOptions): ReadReplica {
  const pools = openReadPools(url, { pooler, connectTimeoutMs, poolSize, limits });
  const probes = openDatabase(url, { pooler, connectTimeoutMs, poolSize: 1 });
  const watch = watchReplica({ primary, replica: probes, maxLagMs, log });
  const reads = { replica: 0, primary: 0 };

  return {
    async runRead(read, query) {
      if (watch.state().status === 'used') {
        const result = await readReplica(() => pools.runRead(read, query));
        if (result) return result.found;
      }
      reads.primary += 1;
      return runRead(read, query);
    },
    countSearches: pools.runRead.countSearches,
    state: watch.state,
    reads,
    async close() {
      await watch.stop();
      await Promise.all([pools.close(), probes.destroy()]);
    },
  };

  /** Undefined if the primary must answer. */
  async function readReplica<Found>(read: () => Promise<Found>): Promise<{ found: Found } | undefined> {
    const scope = createStatementScope();
    const left = new Error('The replica may no longer be used.');
    const stopListening = [watch.onLeave(() => scope.end(left)), currentScope()?.onEnd(scope.end)];
    try {
      const found = await scope.run(read);
      reads.replica += 1;
      return { found };
    } catch (error) {
      if (isDatabaseAway(error)) watch.noteAway(error);
      else if (error !== left && !isBehind(error)) throw error;
      return undefined;
    } finally {
      for (const stop of stopListening) stop?.();
    }
  }
}

/** It canceled the read because of what it must replay, or it has not replayed a migration yet. */
const isBehind = (error: unknown) => ['40001', '42P01', '42703', '42883'].includes(String((error as { code?: unknown }).code));
