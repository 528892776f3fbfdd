import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createListCursors } from '../../src/http/api/cursor.ts';
import { readAuditLog } from '../support/audit.ts';
import { createOperated, root } from '../support/operate.ts';
import { ofPerson, person, pushPerson } from '../support/personal-data.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({}, { recordEveryMs: 10 });
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

it('returns all data about a person, and nothing of others', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  await directory.scim('POST', '/Users', { userName: 'bob@acme.example' });
  const id = await pushPerson(directory);
  await untilDone();
  await until(async () => (await service.db('scim_requests').where({ directory_id: directory.id })).length >= 11);
  const items = await ofPerson(service, directory, id).export();
  const ofKind = (kind: string) => items.filter((item) => item.kind === kind);

  expect(ofKind('user')).toEqual([
    {
      kind: 'user',
      user: expect.objectContaining({ id, last_name: 'Quillwort-Byron', raw: expect.objectContaining({ externalId: 'zxqv-4711' }) }),
    },
  ]);
  expect(new Map(ofKind('membership').map(({ group, pending }) => [group.name, pending]))).toEqual(
    new Map([
      ['Engineering', false],
      ['Waiting', false],
    ]),
  );
  const events = ofKind('event').map(({ event }) => event.event);
  expect(events.length).toBeGreaterThan(5);
  expect([events[0], events.at(-1)]).toEqual(['user.created', 'user.updated']);
  expect(events.filter((type) => type === 'user.created')).toHaveLength(1);
  expect(ofKind('delivery')).toHaveLength(events.length);
  expect(ofKind('delivery')[0]).toMatchObject({ payloads: [{ event: 'user.created' }], attempts: [{ number: 1, response_body: 'ok' }] });
  expect(ofKind('request').length).toBeGreaterThan(5);
  expect(JSON.stringify(items)).not.toContain('bob@acme.example');
  expect(await readAuditLog(service, { target: id })).toMatchObject([{ action: 'user.exported' }]);
});

it('contains no body, filter or error of a request that may be about somebody else', async () => {
  const directory = await service.createDirectory();
  const { body: ada } = await directory.scim('POST', '/Users', person({ externalId: '7' }));
  const manager = { 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { manager: { value: ada.id } } };
  const bob = { userName: 'bob7@acme.example', externalId: '77', ...manager };
  const { body: created } = await directory.scim('POST', '/Users', bob);
  await directory.scim('PUT', `/Users/${created.id}`, { ...bob, title: 'number 7 of bob7@acme.example' });
  await directory.scim('GET', '/Users?filter=userName%20eq%20%22bob7@acme.example%22&count=7');
  await directory.scim('GET', '/Users?filter=externalId%20eq%20%227%22');
  await directory.scim('PUT', `/Users/${ada.id}`, person({ externalId: '7', title: 'Countess' }));
  await until(async () => (await service.db('scim_requests').where({ directory_id: directory.id })).length === 6);
  const items = await ofPerson(service, directory, ada.id).export();
  const requests = items
    .filter(({ kind }) => kind === 'request')
    .map(({ method, path, body }) => [method, path.split('?')[0], body !== null]);
  expect(new Set(requests)).toEqual(
    new Set([
      ['PUT', `/Users/${ada.id}`, true],
      ['GET', '/Users', false],
      ['PUT', `/Users/${created.id}`, false],
      ['POST', '/Users', false],
      ['POST', '/Users', true],
    ]),
  );
  expect(JSON.stringify(items)).not.toMatch(/bob7/);
});

it('contains groups with a pending member that has an address or a former name of the person', async () => {
  const directory = await service.createDirectory();
  const { body } = await directory.scim('POST', '/Users', person({ emails: [{ value: 'ada@home.example' }] }));
  await directory.scim('PUT', `/Users/${body.id}`, person({ userName: 'ada.byron@acme.example', emails: [{ value: 'ada@home.example' }] }));
  const members = [{ value: 'Ada@Home.example', display: 'Ada' }, { value: 'ada.quillwort@acme.example' }, { value: 'bob' }];
  await directory.scim('POST', '/Groups', { displayName: 'Waiting', members });
  const pending = async () =>
    (await ofPerson(service, directory, body.id).export())
      .filter((item) => item.pending)
      .map(({ group, display }) => [group.name, display]);
  const waiting = [
    ['Waiting', 'Ada'],
    ['Waiting', null],
  ];
  expect(new Set(await pending())).toEqual(new Set(waiting));
  await directory.scim('DELETE', `/Users/${body.id}`);
  expect(new Set(await pending())).toEqual(new Set(waiting));
});

it('is read in pages of limited size, however much data a user has', async () => {
  const { id } = await service.createDirectory();
  const user = randomUUID();
  await service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, data, occurred_at, bytes)
     select :id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', case when n % 2 = 0 then cast(:user as text) else 'other' end,
       'first_name', '', 'last_name', '', 'email', rpad('', 10000, 'x'), 'active', true, 'raw', cast('{}' as jsonb)), now(), 10100
     from generate_series(1, 9000) n`,
    { id, user },
  );
  const sequences: number[] = [];
  const pages: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await service.api('GET', `${root}/${id}/users/${user}/export?cursor=${cursor}`);
    pages.push(JSON.stringify(body).length);
    for (const { event } of body.data) sequences.push(event.sequence);
    cursor = body.next_cursor;
  }
  expect(sequences).toEqual(Array.from({ length: 4500 }, (_, index) => 2 * (index + 1)));
  expect(Math.max(...pages)).toBeLessThan(5_000_000);
  expect(pages.length).toBeGreaterThan(10);
});

it('contains only events of the person if a delivery has events of several people', async () => {
  const directory = await service.createDirectory({ log_webhook_events: true });
  const { body } = await directory.scim('POST', '/Users', person());
  const text = JSON.stringify([
    { event: 'user.created', data: { id: body.id } },
    { event: 'user.created', data: { id: 'other', email: 'bob@acme.example' } },
  ]);
  await service.db.raw(
    `insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, event_count, body, bytes, sha256, status)
     select 'msg_several', directory_id, id, 1, 2, 2, :text, 100, '', 'delivered' from webhook_endpoints where directory_id = :id`,
    { text, id: directory.id },
  );
  const items = await ofPerson(service, directory, body.id).export();
  expect(items.find(({ id }) => id === 'msg_several').payloads).toEqual([{ event: 'user.created', data: { id: body.id } }]);
  expect(JSON.stringify(items)).not.toContain('bob@acme.example');
});

it('rejects a cursor of another user', async () => {
  const directory = await service.createDirectory();
  const [one, other] = [randomUUID(), randomUUID()].map((id) => `${root}/${directory.id}/users/${id}/export`);
  const { body } = await service.api('GET', one!);
  const { status, body: rejected } = await service.api('GET', `${other}?cursor=${body.next_cursor}`);
  expect([status, rejected.error.field]).toEqual([400, 'cursor']);
});

it.each([
  { section: 'memberships', id: 'none' },
  { section: 'memberships', number: 1 },
  { section: 'events', number: 1.5 },
  { section: 'events', id: 'none' },
  { section: 'events', part: 'none' },
  { section: 'deliveries', id: '\0' },
  { section: 'user', id: 'none' },
])('rejects a cursor that was changed to %j', async (changed) => {
  const directory = await service.createDirectory();
  const path = `${root}/${directory.id}/users/${randomUUID()}/export`;
  const { body } = await service.api('GET', path);
  const [digest] = JSON.parse(Buffer.from(body.next_cursor, 'base64url').toString());
  const cursor = Buffer.from(JSON.stringify([digest, changed])).toString('base64url');
  const { status, body: rejected } = await service.api('GET', `${path}?cursor=${cursor}`);
  expect([status, rejected.error?.field]).toEqual([400, 'cursor']);
});

const sequencesOf = (items: { kind: string; event: { sequence: number } }[]) => items.map(({ kind, event }) => [kind, event.sequence]);

it('can contain one section only, newest first, with the same items', async () => {
  const directory = await service.createDirectory();
  const id = await pushPerson(directory);
  const read = async (query: string) => {
    const items = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await service.api('GET', `${root}/${directory.id}/users/${id}/export?${query}&cursor=${cursor}`);
      items.push(...body.data);
      cursor = body.next_cursor;
    }
    return items;
  };
  const [oldestFirst, newestFirst] = [await read('only=events'), await read('only=events&order=desc')];
  expect(oldestFirst.length).toBeGreaterThan(3);
  expect(sequencesOf(newestFirst)).toEqual(sequencesOf(oldestFirst).toReversed());
  const requests = await read('only=requests');
  expect([requests.length > 3, requests.every(({ kind }: { kind: string }) => kind === 'request')]).toEqual([true, true]);
  const { body } = await service.api('GET', `${root}/${directory.id}/users/${id}/export?only=everything`);
  expect(body.error.field).toBe('only');
});

it('is read in pages of limited size newest first, and misses nothing', async () => {
  const { id } = await service.createDirectory();
  const user = randomUUID();
  await service.db.raw(
    `insert into stored_events (directory_id, sequence, id, type, data, occurred_at, bytes)
     select :id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', case when n % 2 = 1 then cast(:user as text) else 'other' end,
       'first_name', '', 'last_name', '', 'email', rpad('', 10000, 'x'), 'active', true, 'raw', cast('{}' as jsonb)), now(), 10100
     from generate_series(1, 3000) n`,
    { id, user },
  );
  await service.db.raw(
    `insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, event_count, body, bytes, sha256, status, created_at)
     select 'msg_newest_' || n, directory_id, id, n, n, 1, jsonb_build_object('data', jsonb_build_object('id', cast(:user as text)))::text, 100, '',
       'delivered', now() - n * interval '1 second' from webhook_endpoints cross join generate_series(1, 450) n where directory_id = :id`,
    { id, user },
  );
  const read = async (only: string) => {
    const items = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await service.api('GET', `${root}/${id}/users/${user}/export?only=${only}&order=desc&cursor=${cursor}`);
      items.push(...body.data);
      cursor = body.next_cursor;
    }
    return items;
  };
  expect((await read('events')).map(({ event }) => event.sequence)).toEqual(Array.from({ length: 1500 }, (_, index) => 2999 - 2 * index));
  expect((await read('deliveries')).map(({ id: one }) => one)).toEqual(
    Array.from({ length: 450 }, (_, index) => `msg_newest_${index + 1}`),
  );
});

it('is read in pages of limited size, however large the attempts of deliveries are', async () => {
  const { id } = await service.createDirectory();
  const user = randomUUID();
  await service.db.raw(
    `with batches as (
       insert into webhook_batches (id, directory_id, endpoint_id, from_sequence, to_sequence, event_count, body, bytes, sha256, status, attempts)
       select 'msg_attempts_' || n, directory_id, id, n, n, 1, jsonb_build_object('data', jsonb_build_object('id', cast(:user as text)))::text, 100, '',
         'delivered', 20 from webhook_endpoints cross join generate_series(1, 60) n where directory_id = :id
       returning id, directory_id)
     insert into webhook_attempts (directory_id, batch_id, number, url, started_at, outcome, status_code, response_body)
     select directory_id, id, number, 'https://app.example', now(), 'http_error', 503, rpad('', 16384, chr(1)) from batches cross join generate_series(1, 20) number`,
    { id, user },
  );
  const found: string[] = [];
  const pages: number[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body } = await service.api('GET', `${root}/${id}/users/${user}/export?only=deliveries&cursor=${cursor}`);
    pages.push(JSON.stringify(body).length);
    for (const { id: one } of body.data) found.push(one);
    cursor = body.next_cursor;
  }
  expect(found.sort()).toEqual(Array.from({ length: 60 }, (_, index) => `msg_attempts_${index + 1}`).sort());
  // All of them are 118 MB.
  expect(Math.max(...pages)).toBeLessThan(6_000_000);
});

it('continues a cursor of the previous release, which names no part', async () => {
  const { directory, untilDone } = await createOperated(service, receiver);
  const id = await pushPerson(directory);
  await untilDone();
  for (const order of ['asc', 'desc']) {
    const path = `${root}/${directory.id}/users/${id}/export?only=events&order=${order}`;
    const all = await readAll(path);
    expect(all.length).toBeGreaterThan(3);
    // The previous release had returned the first two of them.
    const position = { section: 'events', number: all[1].event.sequence };
    const cursor = createListCursors('export of a user', z.any()).write(position, [directory.id, id, 'events', order])!;
    expect(sequencesOf(await readAll(path, cursor))).toEqual(sequencesOf(all).slice(2));
  }
});

async function readAll(path: string, from = '') {
  const items = [];
  for (let cursor: string | null = from; cursor !== null;) {
    const { body } = await service.api('GET', `${path}&cursor=${cursor}`);
    items.push(...body.data);
    cursor = body.next_cursor;
  }
  return items;
}

it('records each whole export, and each section once an hour', async () => {
  const directory = await service.createDirectory();
  const { body } = await directory.scim('POST', '/Users', person());
  const path = `${root}/${directory.id}/users/${body.id}/export`;
  for (const only of ['events', 'requests', 'events']) await service.api('GET', `${path}?only=${only}`);
  const { body: first } = await service.api('GET', path);
  await service.api('GET', `${path}?cursor=${first.next_cursor}`);
  await service.api('GET', path);
  const noted = await readAuditLog(service, { action: 'user.exported', target: body.id });
  expect(noted.map(({ changes }) => changes?.['only'] ?? null).toReversed()).toEqual(['events', 'requests', null, null]);
});
