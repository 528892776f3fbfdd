import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import { freezeDelivery } from '../../../src/directory/delivery/freeze-delivery.ts';
import type { TakenLane } from '../../../src/directory/delivery/ports.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { createDeletionStore } from '../../../src/store/directories/deletion-store.ts';
import { createDeliveryStore } from '../../../src/store/deliveries/delivery-store.ts';
import { createRetentionStore } from '../../../src/store/deliveries/retention-store.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns } from '../../../src/store/encryption/secret-columns.ts';
import { createReadEmittedEvents } from '../../../src/store/changes/emitted-events.ts';
import { idOf, setUpGroupChanges } from '../../support/group-changes.ts';
import { holder } from '../../support/drain.ts';

const { directory, add, apply, drop, mutate, newGroup, newUser, remove } = setUpGroupChanges();

const note = 'x'.repeat(100_000);
const documents = () => directory.db('event_documents').where({ directory_id: directory.id });
const deliveries = () =>
  createDeliveryStore({
    db: directory.db,
    secretColumns: createSecretColumns(createKeyring([randomBytes(32)])),
    emitOperatorEvent: createEmitOperatorEvent({ isHeard: false }),
    inBatches: false,
  });
const take = async () => (await deliveries().takeLane(directory.id, holder)) as TakenLane;
const acknowledge = (sequence: number) =>
  directory.db('webhook_endpoints').where({ directory_id: directory.id }).update({ acked_sequence: sequence });

/** The exact bytes of each event's delivery. */
async function bodies(): Promise<string[]> {
  const taken = await take();
  const found: string[] = [];
  for (let after = 0; ;) {
    const { events } = await deliveries().readEvents(directory.id, { after, upTo: taken.lastSequence, limit: 50, maxBytes: 100_000_000 });
    if (events.length === 0) return found;
    found.push(...events.map((event) => freezeDelivery(taken, [event], { asArray: false, maxEvents: 1 }).body));
    after = events.at(-1)!.sequence;
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** Stores whole events, as an earlier version did. */
const keepWhole = (db: Knex) =>
  db.raw(
    `update stored_events s set data = e.data, user_document = null, group_document = null from events e
     where e.directory_id = ? and s.directory_id = e.directory_id and s.sequence = e.sequence`,
    [directory.id],
  );

it('stores a large group once for all membership events, until the group itself changes', async () => {
  const users = Array.from({ length: 20 }, (_, index) => newUser(`u${index}`));
  const staff = newGroup('staff', [], { note });
  await apply(...users, staff);
  for (const user of users) await apply(add(idOf(staff), idOf(user)));
  await apply(remove(idOf(staff), ...users.map(idOf)));
  expect(await documents()).toMatchObject([{ first_sequence: 22, last_sequence: 61, data: { name: 'staff', raw: { note, members: [] } } }]);
  await apply(mutate({ kind: 'replaceGroup', resourceId: idOf(staff), resource: { displayName: 'crew', note } }));
  await apply(add(idOf(staff), idOf(users[0]!)));
  expect((await documents().orderBy('first_sequence')).map(({ data }) => data.name)).toEqual(['staff', 'crew']);
});

it('stores a large user once for all its groups, even if the change did not read it', async () => {
  const ada = newUser('ada', { note });
  const groups = Array.from({ length: 10 }, (_, index) => newGroup(`g${index}`));
  await apply(ada, ...groups);
  for (const group of groups) await apply(add(idOf(group), idOf(ada)));
  await apply(...groups.map((group) => remove(idOf(group), idOf(ada))));
  expect(await documents()).toMatchObject([{ first_sequence: 12, last_sequence: 31, data: { raw: { userName: 'ada', note } } }]);
});

it('delivers the same bytes as if each event were stored whole', async () => {
  const [ada, ben] = [newUser('ada', { note: `${note}é🙂`, n: 1e300 }), newUser('ben', { name: { givenName: 'Ben' } })];
  const [staff, crew] = [newGroup('staff', [idOf(ada)], { note }), newGroup('crew')];
  await apply(ada, ben, staff, crew);
  await apply(add(idOf(crew), idOf(ada), idOf(ben)), add(idOf(staff), idOf(ben)), remove(idOf(staff), idOf(ada)));
  await apply(drop('deleteUser', idOf(ada)), drop('deleteGroup', idOf(staff)));
  const apart = await bodies();
  const large = await directory.db('stored_events').where({ directory_id: directory.id }).whereNotNull('group_document').count('*');
  expect(large).toEqual([{ count: 4 }]);
  await keepWhole(directory.db);
  expect((await bodies()).map(digest)).toEqual(apart.map(digest));
  expect(JSON.parse(apart[3]!).data.group.raw).toMatchObject({ displayName: 'staff', note });
});

it('keeps small users and groups in their events, without a document', async () => {
  const [ada, staff] = [newUser('ada'), newGroup('staff')];
  await apply(ada, staff);
  await apply(add(idOf(staff), idOf(ada)));
  expect(await documents()).toEqual([]);
});

it('deletes documents without waiting for a change that refers to one of them again', async () => {
  const users = ['ada', 'ben', 'cat'].map((name) => newUser(name, { note: `${name}${note}` }));
  const staff = newGroup('staff');
  await apply(...users, staff);
  await apply(add(idOf(staff), ...users.map(idOf)));
  const [first, ...others] = await documents().orderBy('id');
  expect(others).toHaveLength(2);
  await acknowledge(7);
  const { lane } = await take();
  // As a change does it, in the order of its events.
  const keep = (trx: Knex, { data }: { data: object }) =>
    trx.raw('select keep_event_document(?, 8, 8, ?)', [directory.id, JSON.stringify(data)]);
  await directory.db.transaction(async (trx) => {
    await keep(trx, others[0]);
    expect(await deliveries().deleteDeliveredBodies(lane)).toBe(false);
    await keep(trx, first);
  });
  expect(await documents().orderBy('id').select('id', 'last_sequence')).toEqual([
    { id: first.id, last_sequence: 8 },
    { id: others[0].id, last_sequence: 8 },
  ]);
});

it('returns no large events to the caller of a change, and reads them in batches', async () => {
  const staff = newGroup('staff', [], { x: 'y'.repeat(150_000) });
  const users = ['ada', 'ben', 'cat', 'dan', 'eve'].map((name) => newUser(name));
  await apply(...users, staff);
  const store = createChangeStore(directory.db, { returnsEvents: true });
  const { emitted } = await applyInTransaction(store, directory.id, [add(idOf(staff), ...users.map(idOf))]);
  expect(emitted!.events).toEqual([]);
  const batches = [];
  for (const from of [7, 11]) batches.push(await createReadEmittedEvents(directory.db)(directory.id, from, 11));
  expect(batches.map((batch) => batch!.events.map(({ sequence, data }) => [sequence, data!['email']]))).toEqual([
    [
      [7, 'ada'],
      [8, 'ben'],
      [9, 'cat'],
      [10, 'dan'],
    ],
    [[11, 'eve']],
  ]);
});

it('returns whole events to the caller of a change', async () => {
  const [ada, ben] = [newUser('ada', { note }), newUser('ben')];
  const staff = newGroup('staff', [], { note });
  await apply(ada, ben, staff);
  const store = createChangeStore(directory.db, { returnsEvents: true });
  const { emitted } = await applyInTransaction(store, directory.id, [add(idOf(staff), idOf(ada), idOf(ben))]);
  expect(emitted!.events.map(({ data }) => data)).toMatchObject([
    { raw: { userName: 'ada', note }, group: { raw: { note } } },
    { raw: { userName: 'ben' }, group: { raw: { note } } },
  ]);
  expect(await createReadEmittedEvents(directory.db)(directory.id, 4, 5)).toEqual(emitted);
});

it('deletes a document with the last event that refers to it', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff', [], { note })];
  await apply(ada, ben, staff);
  await apply(add(idOf(staff), idOf(ada)));
  await apply(add(idOf(staff), idOf(ben)));
  const { lane } = await take();
  await acknowledge(4);
  await deliveries().deleteDeliveredBodies(lane);
  expect(await documents()).toHaveLength(1);
  await acknowledge(5);
  await deliveries().deleteDeliveredBodies(lane);
  expect(await documents()).toEqual([]);
  await apply(remove(idOf(staff), idOf(ben)));
  expect(JSON.parse((await bodies())[0]!).data.group.raw.note).toBe(note);
});

it('keeps a document for skipped events, until retention drops the last event that refers to it', async () => {
  const [ada, ben, staff] = [newUser('ada'), newUser('ben'), newGroup('staff', [], { note })];
  await apply(ada, ben, staff);
  await apply(add(idOf(staff), idOf(ada)));
  await apply(add(idOf(staff), idOf(ben)));
  const { lane } = await take();
  await directory.db('webhook_batches').insert({
    id: 'msg_skipped',
    directory_id: directory.id,
    endpoint_id: lane.endpointId,
    from_sequence: 4,
    to_sequence: 4,
    event_count: 1,
    bytes: 0,
    sha256: '',
    status: 'skipped',
  });
  await acknowledge(5);
  await deliveries().deleteDeliveredBodies(lane);
  expect((await bodies()).map((body) => JSON.parse(body).data.group.raw.note)).toEqual([note]);
  const sweep = (rows: number) =>
    createRetentionStore(directory.db).dropEvents(0, { after: '00000000-0000-0000-0000-000000000000', directories: 9_999, rows });
  await sweep(4);
  expect(await documents()).toHaveLength(1);
  await sweep(4);
  expect(await documents()).toEqual([]);
});

it('keeps a document that a change refers to again while it is being deleted', async () => {
  const [ada, staff] = [newUser('ada'), newGroup('staff', [], { note })];
  await apply(ada, staff);
  for (let round = 0; round < Number(process.env['CONCURRENCY_ROUNDS'] ?? 10); round += 1) {
    await apply(add(idOf(staff), idOf(ada)));
    const { lane, lastSequence } = await take();
    await acknowledge(lastSequence);
    await Promise.all([deliveries().deleteDeliveredBodies(lane), apply(remove(idOf(staff), idOf(ada)))]);
    const range = { after: lastSequence, upTo: lastSequence + 1, limit: 1, maxBytes: 1_000_000 };
    const { events } = await deliveries().readEvents(directory.id, range);
    expect(JSON.parse(events[0]!.data)).toMatchObject({ group: { raw: { note } } });
  }
});

it('deletes the documents with the directory', async () => {
  const [ada, staff] = [newUser('ada'), newGroup('staff', [], { note })];
  await apply(ada, staff);
  await apply(add(idOf(staff), idOf(ada)));
  await directory.db('directories').where({ id: directory.id }).update({ deleting_at: new Date() });
  while (await createDeletionStore(directory.db).deleteSome(directory.id, 100)) expect(true).toBe(true);
  expect(await documents()).toEqual([]);
  expect(await directory.db('stored_events').where({ directory_id: directory.id })).toEqual([]);
});
