import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { toResourceKey } from '../../src/directory/resources/resource-ids.ts';
import { operate, root } from '../support/operate.ts';
import { ofPerson, person } from '../support/personal-data.ts';
import { fail, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** By default the body of an event is deleted once it is delivered. What concerned a user is found all the same. */

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ EVENT_BATCH_MAX: '1' }, { recordEveryMs: 10 });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const eventsOf = (directory: TestDirectory) => service.db('stored_events').where({ directory_id: directory.id });
const untilBodiesDeleted = (directory: TestDirectory) =>
  until(async () => (await eventsOf(directory).whereNotNull('data')).length === 0, { timeoutMs: 60_000 });

async function readAll(directory: TestDirectory, id: string, only: string, order = 'asc') {
  const items = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await service.api(
      'GET',
      `${root}/${directory.id}/users/${id}/export?only=${only}&order=${order}&cursor=${cursor}`,
    );
    expect([status, body.error]).toEqual([200, null]);
    items.push(...body.data);
    cursor = body.next_cursor;
  }
  return items;
}

/** A user that joins and leaves a group, and another one. */
async function pushAda() {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  const { body: ada } = await directory.scim('POST', '/Users', person());
  const { body: bob } = await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  const { body: group } = await directory.scim('POST', '/Groups', { displayName: 'Team', members: [{ value: ada.id }, { value: bob.id }] });
  await directory.scim('PATCH', `/Groups/${group.id}`, { Operations: [{ op: 'remove', path: `members[value eq "${ada.id}"]` }] });
  await directory.scim('DELETE', `/Users/${bob.id}`);
  return { directory, ada: ada.id as string, bob: bob.id as string, ...operate(service, directory) };
}

/** A delivery of one event, as it is exported without its body. */
const delivery = (sequence: number) => ({
  kind: 'delivery',
  status: 'delivered',
  from_sequence: sequence,
  to_sequence: sequence,
  event_count: 1,
  body_deleted: true,
  payloads: [],
  attempts: [expect.objectContaining({ number: 1, outcome: 'success', status_code: 200 })],
});

it('has the events and deliveries of a user whose bodies are deleted, and none of others', async () => {
  const { directory, ada, bob } = await pushAda();
  await untilBodiesDeleted(directory);
  const events = await readAll(directory, ada, 'events');
  expect(events.map(({ event }) => [event.event, event.data])).toEqual([
    ['user.created', null],
    ['group.user_added', null],
    ['group.user_removed', null],
  ]);
  expect((await readAll(directory, bob, 'events')).map(({ event }) => event.event)).toEqual([
    'user.created',
    'group.user_added',
    'group.user_removed',
    'user.deleted',
  ]);
  const deliveries = await readAll(directory, ada, 'deliveries');
  expect(deliveries).toMatchObject(events.map(({ event }) => delivery(event.sequence)));
  for (const [kind, oldestFirst] of [
    ['events', events],
    ['deliveries', deliveries],
  ] as const)
    expect(await readAll(directory, ada, kind, 'desc')).toEqual(oldestFirst.toReversed());
  const whole = await ofPerson(service, directory, ada).export();
  expect(whole.filter(({ kind }) => kind === 'event' || kind === 'delivery')).toEqual([...events, ...deliveries]);
});

it('has skipped deliveries, and those that failed', async () => {
  const failing = await startReceiver();
  try {
    failing.respond = fail;
    const directory = await service.createDirectory({ webhook_url: failing.url });
    const { post, untilDone, untilStatus } = operate(service, directory);
    const { body: ada } = await directory.scim('POST', '/Users', person());
    await untilStatus('failing');
    expect((await readAll(directory, ada.id, 'deliveries'))[0]).toMatchObject({
      status: 'pending',
      body_deleted: false,
      payloads: [{ event: 'user.created' }],
      attempts: expect.arrayContaining([expect.objectContaining({ outcome: 'http_error', status_code: 500 })]),
    });
    await post('/pause');
    await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
    await directory.scim('PUT', `/Users/${ada.id}`, person({ title: 'Countess' }));
    failing.respond = take;
    expect((await post('/resume', { from: 'now' })).status).toBe(200);
    await untilDone();
    const skipped = await readAll(directory, ada.id, 'deliveries', 'desc');
    expect(skipped.map(({ status }) => status)).toContain('skipped');
    expect(skipped.find(({ status, to_sequence: to }) => status === 'skipped' && to === 3)).toMatchObject({ attempts: [] });
  } finally {
    await failing.close();
  }
});

it('has each event and delivery once and in order if a previous release wrote some of the events', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url, log_webhook_events: true });
  const { body: ada } = await directory.scim('POST', '/Users', person());
  for (let update = 0; update < 6; update += 1) await directory.scim('PUT', `/Users/${ada.id}`, person({ title: `title ${update}` }));
  await operate(service, directory).untilDone();
  const read = async () => ({
    events: (await readAll(directory, ada.id, 'events')).map(({ event }) => [event.sequence, event.data.id]),
    deliveries: (await readAll(directory, ada.id, 'deliveries')).map(({ from_sequence: from, payloads }) => [from, payloads.length]),
  });
  const expected = {
    events: [1, 2, 3, 4, 5, 6, 7].map((sequence) => [sequence, ada.id]),
    deliveries: [1, 2, 3, 4, 5, 6, 7].map((sequence) => [sequence, 1]),
  };
  expect(await read()).toEqual(expected);
  await eventsOf(directory).where('sequence', '<=', 3).update({ user_id: null });
  expect(await read()).toEqual(expected);
  await eventsOf(directory).update({ user_id: null });
  expect(await read()).toEqual(expected);
});

it('finds deliveries of several events, replays and splits by their sequences, on pages of limited size', async () => {
  const directory = await service.createDirectory();
  const { body: ada } = await directory.scim('POST', '/Users', person());
  const of = { directoryId: directory.id, userId: toResourceKey(ada.id) };
  // Every third event is hers.
  await service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, user_id, occurred_at)
     select cast(:directoryId as uuid), n, gen_random_uuid(), 'user.updated', case when n % 3 = 0 then cast(:userId as uuid) else gen_random_uuid() end, now()
     from generate_series(2, 3001) n`,
    of,
  );
  const insert = (id: string, sequences: string, more = `'delivered', 'live', 10`) =>
    service.db.raw(
      `insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, bytes, sha256, created_at, status, kind, event_count)
       select ${id}, directory_id, id, ${sequences}, 1, '', now() + n * interval '1 second', ${more}
       from webhook_endpoints cross join generate_series(0, 299) n where directory_id = cast(:directoryId as uuid)`,
      of,
    );
  await insert(`'msg_live_' || lpad(cast(n as text), 3, '0')`, '2 + n * 10, 11 + n * 10');
  await insert(`'msg_one_' || lpad(cast(n as text), 3, '0')`, '2 + n * 10, 2 + n * 10', `'delivered', 'replay', 1`);
  // It says only where it begins and ends.
  await insert(`'msg_gaps_' || lpad(cast(n as text), 3, '0')`, '2 + n * 10, 11 + n * 10', `'delivered', 'replay', 2`);
  for (const order of ['asc', 'desc']) {
    const events = await readAll(directory, ada.id, 'events', order);
    expect(events.map(({ event }) => event.sequence).toSorted((one, other) => one - other)).toEqual([
      1,
      ...Array.from({ length: 1_000 }, (_, index) => 3 * (index + 1)),
    ]);
    const ids = (await readAll(directory, ada.id, 'deliveries', order)).map(({ id }) => id as string);
    const live = ids.filter((id) => id.startsWith('msg_live'));
    expect([live.length, new Set(live).size]).toEqual([300, 300]);
    expect(order === 'asc' ? live : live.toReversed()).toEqual(live.toSorted());
    expect(ids.filter((id) => id.startsWith('msg_one'))).toHaveLength(100);
    expect(ids).toHaveLength(400);
  }
});

it('leaves nothing that leads to the person after an erasure', async () => {
  const { directory, ada, bob, untilDone } = await pushAda();
  await untilBodiesDeleted(directory);
  await ofPerson(service, directory, ada).erase();
  await ofPerson(service, directory, ada).untilErased();
  await untilDone();
  expect(await eventsOf(directory).where({ user_id: ada })).toEqual([]);
  // The last events were delivered with the ID only, and keep it until their bodies are deleted.
  expect((await readAll(directory, ada, 'events')).filter(({ event }) => event.data === null)).toEqual([]);
  expect(await readAll(directory, ada, 'deliveries')).toEqual([]);
  expect(await readAll(directory, bob, 'events')).toHaveLength(4);
});

it('erases a deleted user of whom only events without bodies are left', async () => {
  const { directory, bob } = await pushAda();
  await untilBodiesDeleted(directory);
  await service.db('user_requests').where({ directory_id: directory.id }).delete();
  expect((await ofPerson(service, directory, bob).erase()).status).toBe(202);
  await ofPerson(service, directory, bob).untilErased();
  expect(await eventsOf(directory).where({ user_id: bob })).toEqual([]);
});
