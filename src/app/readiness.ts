import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Knex } from 'knex';
import type { DiskWatch } from './disk-watch.ts';
import { isSchemaKnown } from '../store/migrate.ts';
import type { RunningWorker } from '../temporal/worker.ts';

interface Parts {
  db: Knex;
  disk: Pick<DiskWatch, 'missing'>;
  /** Unset without Temporal. */
  temporal?: { connection: NativeConnection; workers: RunningWorker[] };
}

/** Returns what this process lacks to do its work: a sentence each. Checks at the same time share one result, because the address is public. */
export function createReadiness({ db, disk, temporal }: Parts): () => Promise<string[]> {
  const checkTimeoutMs = 2_000;
  const inTime = (check: Promise<boolean>, otherwise: boolean) =>
    Promise.race([check.catch(() => otherwise), sleep(checkTimeoutMs, otherwise, { ref: false })]);
  const responds = (request: PromiseLike<unknown>) =>
    inTime(
      Promise.resolve(request).then(() => true),
      false,
    );
  const checks: [string, () => Promise<boolean>][] = [
    ['Postgres does not answer.', () => responds(db.raw('select 1'))],
    // A database that does not respond is reported above.
    ['The database has a schema of another version.', () => inTime(isSchemaKnown(db), true)],
    ...(temporal ? ofTemporal(temporal) : []),
  ];
  const check = async () => {
    const results = await Promise.all(checks.map(([, passes]) => passes()));
    const full = disk.missing();
    return [...checks.filter((_, index) => !results[index]).map(([missing]) => missing), ...(full === undefined ? [] : [full])];
  };
  let checking: Promise<string[]> | undefined;
  return () => (checking ??= check().finally(() => (checking = undefined)));

  function ofTemporal({ connection, workers }: NonNullable<Parts['temporal']>): typeof checks {
    return [
      [
        'Temporal does not answer.',
        () => responds(connection.withDeadline(Date.now() + checkTimeoutMs, () => connection.workflowService.getSystemInfo({}))),
      ],
      ['A worker is not running.', () => Promise.resolve(workers.every((worker) => worker.isRunning()))],
    ];
  }
}
