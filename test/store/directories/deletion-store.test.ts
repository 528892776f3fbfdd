import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { createDeletionStore } from '../../../src/store/directories/deletion-store.ts';
import { cloneDatabase } from '../../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Knex;
beforeAll(async () => {
  database = await cloneDatabase();
  ({ db } = database);
});
afterAll(() => database.drop());

async function createDirectory({ events }: { events: number }): Promise<string> {
  const id = randomUUID();
  await db('directories').insert({ id, tenant: 'acme', product: 'app', name: 'Acme', type: 'okta-scim-v2', last_sequence: events });
  await db('webhook_endpoints').insert({ id: randomUUID(), directory_id: id });
  await db.raw(
    `insert into events (directory_id, sequence, id, type, data, occurred_at)
     select :id, n, gen_random_uuid(), 'user.created', '{}', now() from generate_series(1, :events) n`,
    { id, events },
  );
  return id;
}

const eventsOf = async (id: string) => (await db('events').where({ directory_id: id })).length;
const mark = (id: string, at = 'now()') =>
  db('all_directories')
    .where({ id })
    .update({ deleting_at: db.raw(at) });

it('deletes at most the given number of rows per call', async () => {
  const id = await createDirectory({ events: 25 });
  await mark(id);
  const store = createDeletionStore(db);
  const left: number[] = [];
  while (await store.deleteSome(id, 10)) left.push(await eventsOf(id));
  expect(left).toEqual([25, 15, 5, 0]);
  expect(await db('all_directories').where({ id })).toEqual([]);
  expect(await store.deleteSome(id, 10)).toBe(false);
});

it('does not delete a directory without a deletion request', async () => {
  const id = await createDirectory({ events: 3 });
  expect(await createDeletionStore(db).deleteSome(id, 10)).toBe(false);
  expect(await eventsOf(id)).toBe(3);
  expect(await db('directories').where({ id })).toHaveLength(1);
});

it('completes when two processes delete concurrently', async () => {
  const id = await createDirectory({ events: 200 });
  await mark(id);
  const store = createDeletionStore(db);
  const work = async () => {
    while (await store.deleteSome(id, 7));
  };
  await Promise.all([work(), work(), work()]);
  expect(await eventsOf(id)).toBe(0);
  expect(await db('all_directories').where({ id })).toEqual([]);
});

it('finds deletions that no process continues', async () => {
  const [forgotten, fresh] = [await createDirectory({ events: 1 }), await createDirectory({ events: 1 })];
  await mark(forgotten, `now() - interval '31 seconds'`);
  await mark(fresh);
  expect(await createDeletionStore(db).findUnfinished(10)).toEqual([forgotten]);
});
