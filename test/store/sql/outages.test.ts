import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { translateOutages } from '../../../src/store/sql/outages.ts';
import { shareQueries } from '../../../src/store/sql/share-queries.ts';
import { cloneDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
/** One connection, so that the next statement uses the connection of the canceled one. */
let single: Knex;
beforeAll(async () => {
  database = await cloneDatabase();
  single = database.openSingle();
  await single.raw('create table notes (text text)');
});
afterAll(() => database.drop());

/** CANCEL_WITHIN_MS=1000 is the promise on a quiet machine. Without cancellation the statement takes 30 seconds. */
const cancelWithinMs = Number(process.env['CANCEL_WITHIN_MS'] ?? 5_000);

const forCallers = { timeoutMs: 150 };
const sleep = (db: Knex, seconds = 30) => db.raw('select pg_sleep(?)', [seconds]);
const isAsleep = async () => {
  const { rows } = await database.db.raw(
    `select count(*) as active from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
     and query like '%pg_sleep($1)%'`,
  );
  return rows[0].active > 0;
};
const pidOf = async () => (await single.raw('select pg_backend_pid() as pid')).rows[0].pid as number;

it('cancels a timed-out statement in Postgres within a second, and reuses its connection', async () => {
  const pid = await pidOf();
  const store = translateOutages({ read: () => sleep(single) }, forCallers);
  await expect(store.read()).rejects.toMatchObject({ code: 'unavailable' });
  await until(async () => !(await isAsleep()), { timeoutMs: cancelWithinMs });
  expect(await pidOf()).toBe(pid);
});

it('rolls back a timed-out transaction, and sends no more of its statements', async () => {
  const pid = await pidOf();
  const store = translateOutages(
    {
      write: () =>
        single.transaction(async (trx) => {
          await trx('notes').insert({ text: 'before' });
          await sleep(trx, 0.3).catch(() => undefined);
          await trx('notes').insert({ text: 'after' });
        }),
    },
    forCallers,
  );
  await expect(store.write()).rejects.toMatchObject({ code: 'unavailable' });
  expect(await single('notes').select()).toEqual([]);
  expect(await pidOf()).toBe(pid);
});

it('sends nothing for an operation that timed out while it waited for a connection', async () => {
  let sent = 0;
  single.on('query', () => (sent += 1));
  const store = translateOutages({ read: () => single('notes').insert({ text: 'late' }), hold: () => sleep(single, 2) });
  const holding = store.hold();
  await until(() => sent === 1);
  await expect(translateOutages(store, forCallers).read()).rejects.toMatchObject({ code: 'unavailable' });
  await holding;
  expect(await single('notes').select()).toEqual([]);
  single.removeAllListeners('query');
});

it('cancels a shared query only when all its callers have given up', async () => {
  let queries = 0;
  const read = shareQueries(async (keys: string[]) => {
    queries += 1;
    await sleep(single, [0.001, 0.6, 30][queries - 1]);
    return new Map(keys.map((key) => [key, key]));
  });
  const [impatient, patient] = [translateOutages({ read }, forCallers), translateOutages({ read }, { timeoutMs: 10_000 })];
  // The first query is in progress while the others arrive, so that they share the next one.
  const [first, ...others] = await Promise.allSettled([patient.read('a'), impatient.read('b'), patient.read('c')]);
  expect(first).toMatchObject({ value: 'a' });
  expect(others).toMatchObject([{ reason: { code: 'unavailable' } }, { value: 'c' }]);

  const both = await Promise.allSettled([impatient.read('d'), impatient.read('e')]);
  expect(both).toMatchObject([{ reason: { code: 'unavailable' } }, { reason: { code: 'unavailable' } }]);
  await until(async () => !(await isAsleep()), { timeoutMs: cancelWithinMs });
});
