import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Knex } from 'knex';
import type { DiskWatch } from './disk-watch.ts';
import { isSchemaKnown } from '../store/migrate.ts';
import type { RunningWorker } from '../temporal/worker.ts';

interface Parts {
  db: Knex;
  disk: Pick<DiskWatch, 'missing'>;
  /** Absent where this process does without Temporal. */
  temporal?: { connection: NativeConnection; workers: RunningWorker[] };
}

/** What a process lacks to do its work, in sentences. */
export function createFindMissing({ db, disk, temporal }: Parts): () => Promise<string[]> {
  const checkTimeoutMs = 2_000;
  const inTime = (check: Promise<boolean>, otherwise: boolean) =>
    Promise.race([check.catch(() => otherwise), sleep(checkTimeoutMs, otherwise, { ref: false })]);
  const answers = (asked: PromiseLike<unknown>) =>
    inTime(
      Promise.resolve(asked).then(() => true),
      false,
    );
  const checks: [string, () => Promise<boolean>][] = [
    ['Postgres does not answer.', () => answers(db.raw('select 1'))],
    // Of a database that does not answer enough is said already.
    ['The database has a schema of another version.', () => inTime(isSchemaKnown(db), true)],
    ...(temporal ? ofTemporal(temporal) : []),
  ];
  const look = async () => {
    const results = await Promise.all(checks.map(([, check]) => check()));
    const full = disk.missing();
    return [...checks.filter((_, index) => !results[index]).map(([missing]) => missing), ...(full === undefined ? [] : [full])];
  };
  // Whoever asks meanwhile shares the answer: this address is open, and the database has better things to do.
  let looking: Promise<string[]> | undefined;
  return () => (looking ??= look().finally(() => (looking = undefined)));

  function ofTemporal({ connection, workers }: NonNullable<Parts['temporal']>): typeof checks {
    return [
      [
        'Temporal does not answer.',
        () => answers(connection.withDeadline(Date.now() + checkTimeoutMs, () => connection.workflowService.getSystemInfo({}))),
      ],
      ['A worker is not running.', () => Promise.resolve(workers.every((worker) => worker.isRunning()))],
    ];
  }
}
