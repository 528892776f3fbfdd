import type { NativeConnection } from '@temporalio/worker';
import type { Knex } from 'knex';
import type { DiskWatch } from './disk-watch.ts';
import { raceTimeout, waitAtMost } from '../shared/timeout.ts';
import type { CheckReadiness, Readiness } from '../http/deps.ts';
import { readSchemaState } from '../store/migrations/migrate.ts';
import type { ReadReplica } from '../store/sql/read-replica.ts';
import type { RunningWorker } from '../temporal/worker.ts';

interface Parts {
  db: Knex;
  disk: Pick<DiskWatch, 'missing'>;
  replica?: Pick<ReadReplica, 'state'> | undefined;
  /** It is unset without Temporal. */
  temporal?: { connection: NativeConnection; workers: RunningWorker[] };
}

interface Check {
  /** What is missing if the check fails. */
  missing: string;
  passes(): Promise<boolean>;
}

const checkTimeoutMs = 2_000;

/** Checks what this process needs to do its work. */
export function createReadiness({ db, disk, replica, temporal }: Parts): CheckReadiness {
  const checks: Check[] = [
    { missing: 'Postgres does not respond.', passes: () => responds(db.raw('select 1')) },
    // It passes without a response, because the check above reports that.
    {
      missing: 'The database has a schema that this version cannot use.',
      passes: () => raceTimeout(checkTimeoutMs, canUseSchema(db), true).catch(() => true),
    },
    ...(temporal ? checksOfTemporal(temporal) : []),
  ];
  const run = async () => {
    const passed = await Promise.all(checks.map((check) => check.passes()));
    const full = disk.missing();
    const missing = checks.filter((_, index) => !passed[index]).map((check) => check.missing);
    return { missing: full === undefined ? missing : [...missing, full], replica: replica?.state() };
  };
  // Concurrent requests share one run: the address is public, and must not put load on the database.
  let running: Promise<Readiness> | undefined;
  return () => (running ??= run().finally(() => (running = undefined)));
}

const canUseSchema = async (db: Knex) => ['known', 'newer'].includes(await readSchemaState(db));

const checksOfTemporal = ({ connection, workers }: NonNullable<Parts['temporal']>): Check[] => [
  {
    missing: 'Temporal does not respond.',
    passes: () => responds(connection.withDeadline(Date.now() + checkTimeoutMs, () => connection.workflowService.getSystemInfo({}))),
  },
  { missing: 'A worker is not running.', passes: () => Promise.resolve(workers.every((worker) => worker.isRunning())) },
];

const responds = (request: PromiseLike<unknown>) => waitAtMost(checkTimeoutMs, Promise.resolve(request)).catch(() => false);
