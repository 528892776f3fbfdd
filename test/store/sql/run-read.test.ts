import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { createRunRead, type ReadLimits, type RunRead } from '../../../src/store/sql/run-read.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let searches: Knex;
beforeAll(async () => {
  database = await cloneDatabase();
  // One connection, so that the next search uses the connection of the canceled statement.
  searches = database.openSingle();
});
afterAll(() => database.drop());

const start = (limits: Partial<ReadLimits> = {}): RunRead =>
  createRunRead(
    { db: database.db, searches, sizes: { db: 8, searches: 2 } },
    { timeoutMs: 8_000, searchTimeoutMs: 4_000, searchesPerDirectory: 2, searchesWaitingPerDirectory: 10, ...limits },
  );

/** CANCEL_WITHIN_MS=1000 is the promise on a quiet machine. Without cancellation the statement takes 30 seconds. */
const cancelWithinMs = Number(process.env['CANCEL_WITHIN_MS'] ?? 5_000);
const sleep = (db: Knex, seconds = 30) => db.raw('select pg_sleep(?)', [seconds]);
const isAsleep = async () => {
  const { rows } = await database.db.raw(
    `select count(*) as active from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep($1)%'
     and pid <> pg_backend_pid()`,
  );
  return rows[0].active > 0;
};
const search = (runRead: RunRead, query: (db: Knex) => Promise<unknown>, signal?: AbortSignal) =>
  runRead({ cost: 'search', directoryId: 'd', signal }, query);

it.each(['page', 'search'] as const)(
  'cancels a %s in Postgres within a second when its caller disconnects, and rejects immediately',
  async (cost) => {
    const caller = new AbortController();
    const reading = start()({ cost, directoryId: 'd', signal: caller.signal }, sleep);
    await until(isAsleep);
    const leftMs = performance.now();
    caller.abort(new Error('left'));
    await expect(reading).rejects.toThrow('left');
    expect(performance.now() - leftMs).toBeLessThan(cancelWithinMs);
    await until(async () => !(await isAsleep()), { timeoutMs: cancelWithinMs });
  },
);

it('cancels a search at the time limit, and names the limit and its setting', async () => {
  await expect(search(start({ searchTimeoutMs: 100 }), sleep)).rejects.toMatchObject({
    code: 'invalid_request',
    scimType: 'tooMany',
    message: expect.stringContaining('100 ms that SEARCH_TIMEOUT_MS allows'),
  });
  await until(async () => !(await isAsleep()), { timeoutMs: cancelWithinMs });
});

it('fails with `unavailable` on timeout, also while it waits for a slot', async () => {
  const runRead = start({ timeoutMs: 200, searchesPerDirectory: 1 });
  const responses = await Promise.allSettled([search(runRead, sleep), search(runRead, sleep)]);
  const reason = { code: 'unavailable', message: expect.stringContaining('SCIM_TIMEOUT_MS') };
  expect(responses).toMatchObject([{ reason }, { reason }]);
  await until(async () => !(await isAsleep()), { timeoutMs: cancelWithinMs });
});

it('does not run for a caller that has disconnected', async () => {
  const left = AbortSignal.abort(new Error('left'));
  let hasRun = false;
  await expect(search(start(), async () => (hasRun = true), left)).rejects.toThrow('left');
  expect(hasRun).toBe(false);
});

it('never cancels the next statement on the same connection', async () => {
  const runRead = start();
  const failures: string[] = [];
  for (let round = 0; round < Number(process.env['CONCURRENCY_ROUNDS'] ?? 60); round += 1) {
    const caller = new AbortController();
    const reading = search(runRead, (db) => sleep(db, 0.004), caller.signal);
    const next = search(runRead, async (db) => {
      for (let statement = 0; statement < 10; statement += 1) await sleep(db, 0.002);
      return 'whole';
    });
    setTimeout(() => caller.abort(new Error('left')), round % 12);
    await reading.catch((error: Error) => failures.push(error.message));
    expect(await next).toBe('whole');
  }
  expect(new Set(failures)).toEqual(new Set(['left']));
}, 240_000);

it('runs pages and cheap reads while searches use all their slots', async () => {
  const runRead = start({ searchesPerDirectory: 1, searchesWaitingPerDirectory: 2 });
  const caller = new AbortController();
  const readings = [1, 2, 3].map(() => search(runRead, sleep, caller.signal));
  await until(isAsleep);
  await expect(search(runRead, sleep)).rejects.toMatchObject({ code: 'rate_limited' });
  for (const cost of ['few', 'page'] as const)
    expect((await runRead({ cost, directoryId: 'd' }, (db) => db.raw('select 1 as one'))).rows).toEqual([{ one: 1 }]);
  caller.abort(new Error('left'));
  await Promise.allSettled(readings);
});
