import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { readAuditLog } from '../support/audit.ts';
import { dumpTables } from '../support/dump-tables.ts';
import { createOperated } from '../support/operate.ts';
import { markers, ofPerson, person, pushPerson } from '../support/personal-data.ts';
import { fail, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryEvery(1) }, { recordEveryMs: 10 });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});
beforeEach(() => {
  receiver.received.length = 0;
  // The receiver's response names the person too.
  receiver.respond = (response) => void response.end(receiver.received.at(-1)!.text);
});

const markedLines = async () => (await dumpTables(service.db)).split('\n').filter((line) => markers.test(line));
const untilRecorded = (id: string, count: number) =>
  until(async () => (await service.db('scim_requests').where({ directory_id: id }).count<{ count: number }[]>())[0]!.count >= count);
const readFeed = async (id: string) => (await service.api('GET', `/api/v1/events?directory_id=${id}&limit=1000`)).body.data;

it('erases a person from all tables, and nothing of others', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  const { body: bob } = await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  const id = await pushPerson(directory);
  await untilDone();
  await untilRecorded(directory.id, 10);
  expect((await markedLines()).length).toBeGreaterThan(10);

  const { erase, untilErased } = ofPerson(service, directory, id);
  const { status, body } = await erase();
  expect([status, body.data.user_id]).toEqual([202, id]);
  const { erased } = await untilErased();
  expect(erased).toMatchObject({ users: 1, memberships: 2, documents: expect.any(Number), requests: expect.any(Number) });
  expect(erased.documents).toBeGreaterThan(0);
  expect(erased.deliveries).toBeGreaterThan(4);

  await untilDone();
  expect(await markedLines()).toEqual([]);
  expect(await service.db('staged_mutations').where({ directory_id: directory.id })).toEqual([]);
  expect((await directory.scim('GET', `/Users/${id}`)).status).toBe(404);
  expect((await directory.scim('GET', `/Users/${bob.id}`)).body.userName).toBe('bob@acme.example');
  const feed = await readFeed(directory.id);
  expect(feed.map(({ sequence }: { sequence: number }) => sequence)).toEqual(feed.map((_: unknown, index: number) => index + 1));
  expect(feed[0]).toMatchObject({ event: 'user.created', data: { id: bob.id, email: 'bob@acme.example' } });
  expect(feed.filter(({ event }: { event: string }) => event.startsWith('group.')).some(({ data }: { data: unknown }) => data)).toBe(true);
});

it('delivers a pending deletion to the application with the ID only', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  receiver.respond = fail;
  const { body } = await directory.scim('POST', '/Users', person());
  await directory.scim('PUT', `/Users/${body.id}`, person({ title: 'Quillwort' }));
  await directory.scim('POST', '/Groups', { displayName: 'Engineering', members: [{ value: body.id }] });
  await until(() => receiver.received.length > 0);
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  await erase();
  const { erased } = await untilErased();
  expect(erased).toMatchObject({ events: 5, undelivered_events: 5 });
  expect(await markedLines()).toEqual([]);

  // A request that began before the erasure may still arrive.
  await until(async () => (await service.db('webhook_attempts').where({ directory_id: directory.id, outcome: 'in_flight' })).length === 0);
  receiver.received.length = 0;
  receiver.respond = take;
  await untilDone();
  const received = receiver.received.filter(({ event }) => event.directory_id === directory.id);
  const told = received.map(({ event }) => [event.sequence, event.event, event.data.id === body.id, event.reason]);
  expect(told).toEqual([
    [1, 'user.created', true, 'scim'],
    [2, 'user.updated', true, 'scim'],
    [3, 'group.created', false, 'scim'],
    [4, 'group.user_added', true, 'scim'],
    [5, 'group.user_removed', true, 'erasure'],
    [6, 'user.deleted', true, 'erasure'],
  ]);
  expect(received.at(-1)!.event.data).toEqual({
    id: body.id,
    first_name: '',
    last_name: '',
    email: '',
    active: false,
    raw: { id: body.id },
  });
  expect(received.at(3)!.event.data.group.name).toBe('Engineering');
  expect(received.map(({ text }) => text).join()).not.toMatch(markers);
});

it('sends no events that a delivery had read before the erasure', async () => {
  const { directory, post, untilDone } = await createOperated(service, receiver);
  await post('/pause');
  await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  const { body } = await directory.scim('POST', '/Users', person());
  let held: ServerResponse | undefined;
  receiver.respond = (response) => (held ? take(response) : void (held = response));
  await post('/resume', { from: 'backlog' });
  await until(() => held);
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  await erase();
  await untilErased();
  held!.end();
  await untilDone();
  expect(receiver.received.at(-1)!.event).toMatchObject({ event: 'user.deleted', sequence: 3, data: { id: body.id } });
  expect(receiver.received.map(({ text }) => text).join()).not.toMatch(markers);
  expect(await markedLines()).toEqual([]);
});

it('adds a certificate with counts, without personal data, that names the caller who requested the erasure', async () => {
  const directory = await service.createDirectory({ tenant: randomUUID() });
  const { body } = await directory.scim('POST', '/Users', person());
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  const { body: started } = await erase();
  await untilErased();
  const entries = await readAuditLog(service, { target: body.id });
  expect(entries.map(({ action }) => action)).toEqual(['user.erased', 'user.erasure_requested']);
  expect(entries[0]).toMatchObject({
    actor: { type: 'root_key', id: 'root_1' },
    targets: [{ type: 'directory' }, { type: 'user', id: body.id }],
    changes: { erasure_id: started.data.id, users: 1, events: 2, undelivered_events: 2 },
  });
  expect(JSON.stringify(entries)).not.toMatch(markers);
});

it('has the same result if it is requested twice, and for a user that was deleted before', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  const { body } = await directory.scim('POST', '/Users', person());
  await untilDone();
  expect((await directory.scim('DELETE', `/Users/${body.id}`)).status).toBe(204);
  await untilDone();
  // A group with the person then has a pending member.
  const { body: group } = await directory.scim('POST', '/Groups', {
    displayName: 'Engineering',
    members: [{ value: body.id, display: 'Ada Quillwort' }, { value: 'somebody else' }],
  });
  await untilDone();
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  const both = await Promise.all([erase(), erase()]);
  expect(new Set(both.map(({ body: { data } }) => data.id)).size).toBe(1);
  const first = await untilErased();
  expect(first.erased).toMatchObject({ events: 2, undelivered_events: 0, pending_members: 1 });
  expect(await service.db('groups').where({ id: group.id }).first('member_count')).toEqual({ member_count: 1 });
  expect(first.erased).not.toHaveProperty('users');
  const feed = await readFeed(directory.id);
  expect(feed.map(({ event, data }: { event: string; data: unknown }) => [event, data])).toEqual([
    ['user.created', null],
    ['user.deleted', null],
    ['group.created', expect.objectContaining({ id: group.id })],
  ]);

  // Nothing is left, so there is nothing to certify.
  const { status, body: again } = await erase();
  expect([status, again.data]).toEqual([202, first]);
  expect(await readAuditLog(service, { target: body.id, action: 'user.erased' })).toHaveLength(1);
  expect(await readFeed(directory.id)).toEqual(feed);
  expect(await markedLines()).toEqual([]);
});

it('erases pending members with any former name of the person, as a change of their groups', async () => {
  const directory = await service.createDirectory();
  const emails = [{ value: 'quillwort@home.example' }];
  const { body } = await directory.scim('POST', '/Users', person({ emails }));
  await directory.scim('PUT', `/Users/${body.id}`, person({ userName: 'quillwort.byron', emails, externalId: 'quillwort-2' }));
  await directory.scim('DELETE', `/Users/${body.id}`);
  const names = ['Quillwort@Home.example', 'ada.quillwort@acme.example', 'zxqv-4711', 'quillwort.byron', 'quillwort-2', 'somebody else'];
  const { body: group } = await directory.scim('POST', '/Groups', {
    displayName: 'Engineering',
    members: names.map((value) => ({ value, ...(value !== 'somebody else' && { display: 'Ada Quillwort' }) })),
  });
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  await erase();
  expect((await untilErased()).erased).toMatchObject({ pending_members: 5 });
  expect(await markedLines()).toEqual([]);
  expect(await service.db('pending_members').where({ group_id: group.id }).pluck('value')).toEqual(['somebody else']);
  const { body: changed } = await directory.scim('GET', `/Groups/${group.id}`);
  expect(changed.meta.version).not.toBe(group.meta.version);
  expect(changed.meta.lastModified > group.meta.lastModified).toBe(true);
});

it('creates a new user when the person is pushed again', async () => {
  const directory = await service.createDirectory();
  const { body } = await directory.scim('POST', '/Users', person());
  const { erase, untilErased } = ofPerson(service, directory, body.id);
  await erase();
  await untilErased();
  const again = await directory.scim('POST', '/Users', person());
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(body.id);
  const feed = await readFeed(directory.id);
  expect(feed.at(-1)).toMatchObject({ event: 'user.created', data: { email: 'ada.quillwort@acme.example' } });
  const next = ofPerson(service, directory, again.body.id);
  await next.erase();
  await next.untilErased();
});

it('writes no recorded request that waited in the process while the user was erased', async () => {
  const slow = await startTestService({}, { recordEveryMs: 3_000 });
  try {
    const directory = await slow.createDirectory();
    const { body } = await directory.scim('POST', '/Users', person());
    expect((await directory.scim('GET', '/Users?filter=quillwort%20is%20no%20filter')).status).toBe(400);
    const { erase, untilErased } = ofPerson(slow, directory, body.id);
    await erase();
    await untilErased();
    expect(await slow.db('scim_requests')).toEqual([]);
    // They are not stored, but count as the last push.
    await until(() => slow.db('directory_pushes').where({ directory_id: directory.id }).first('last_push_at'));
    // Simulates that a minute has passed: the clocks of processes may differ by that much.
    await slow.db('user_erasures').update({ requests_until: slow.db.raw(`now() - interval '61 seconds'`) });
    await directory.scim('GET', '/Users/none');
    await until(async () => (await slow.db('scim_requests').where({ path: '/Users/none' })).length === 1);
    expect((await dumpTables(slow.db)).split('\n').filter((line) => markers.test(line))).toEqual([]);
  } finally {
    await slow.stop();
  }
});

it('responds with 404 if there is no such directory, erasure or person', async () => {
  const directory = await service.createDirectory();
  const path = `/api/v1/directory-sync/${directory.id}/users/${randomUUID()}/erase`;
  expect((await service.api('GET', path)).status).toBe(404);
  expect((await service.api('POST', path.replace(directory.id, randomUUID()))).status).toBe(404);
  await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  expect((await service.api('POST', path)).status).toBe(404);
  expect(await service.db('user_erasures').where({ directory_id: directory.id })).toEqual([]);
});
