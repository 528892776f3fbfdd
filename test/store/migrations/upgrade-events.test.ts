import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../../src/ids.ts';
import { createReadEvents } from '../../../src/store/deliveries/read-events.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { migrationNames, migrationSource } from '../../../src/store/migrations/index.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

/** The schema before documents were stored separately from events. */
const former = {
  ...migrationSource,
  getMigrations: () => Promise.resolve(migrationNames.slice(0, migrationNames.indexOf('008_event_documents'))),
};

it('keeps the events of a previous version, and those that its processes still write', async () => {
  const { db, url } = database;
  await db.migrate.latest({ migrationSource: former });
  const id = newId();
  await db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2', last_sequence: 3 });
  await db('webhook_endpoints').insert({ id: newId(), directory_id: id });
  const write = (sequence: number, data: object | null) =>
    db.raw(
      `insert into events (directory_id, sequence, id, type, data, occurred_at) values (?, ?, ?, 'user.created', ?, now()) returning id, sequence, type, data`,
      [id, sequence, newId(), data === null ? null : JSON.stringify(data)],
    );
  await write(1, null);
  await write(2, { id: 'ada', raw: { n: 1 } });
  const before = await db('events').orderBy('sequence');

  await migrate(url);
  expect(await db('events').orderBy('sequence')).toMatchObject(before);
  const read = async () => (await createReadEvents(db).readEvents(id, { after: 0, upTo: 9, limit: 9, maxBytes: 1_000_000 })).events;
  expect((await read()).map(({ sequence, data }) => ({ sequence, data: JSON.parse(data) as unknown }))).toEqual([
    { sequence: 2, data: { id: 'ada', raw: { n: 1 } } },
  ]);

  const { rows } = await write(3, { id: 'ben', raw: {} });
  expect(rows).toMatchObject([{ sequence: 3, data: { id: 'ben', raw: {} } }]);
  expect((await read()).map(({ sequence }) => sequence)).toEqual([2, 3]);
  await db.raw(`update events e set data = null where e.directory_id = ? and e.sequence <= 2`, [id]);
  expect((await read()).map(({ sequence }) => sequence)).toEqual([3]);
  const { rows: dropped } = await db.raw(`delete from events e where e.directory_id = ? and e.sequence <= 2 returning e.sequence, e.txid`, [
    id,
  ]);
  expect(dropped).toEqual(before.map(({ sequence, txid }) => ({ sequence, txid })));
  const stored = await db('stored_events').where({ directory_id: id });
  expect(stored).toMatchObject([{ sequence: 3, txid: expect.stringMatching(/^\d+$/) }]);
});
