import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pushInactive, readEvents } from '../support/inactive-users.ts';
import { createOperated } from '../support/operate.ts';
import { fail, take } from '../support/receiver.ts';
import { ada, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

/** Directories whose `on_directory_delete` is `events`. */

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

const path = ({ id }: TestDirectory) => `/api/v1/directory-sync/${id}`;
const remove = (directory: TestDirectory, query = '') => service.api('DELETE', `${path(directory)}${query}`);
const rowsOf = async ({ id }: TestDirectory) => (await service.db('all_directories').where({ id })).length;
const isGone = (directory: TestDirectory) => until(async () => (await service.api('GET', path(directory))).status === 404);

async function createRemovable(fields: Record<string, unknown> = {}) {
  const operated = await createOperated(service, receiver, { on_directory_delete: 'events', ...fields });
  await pushInactive(operated.directory);
  return operated;
}

it('says what it would send, and is gone once that is delivered, in order', async () => {
  const { directory, get } = await createRemovable();
  const refused = await remove(directory);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    {
      code: 'confirmation_required',
      message: expect.any(String),
      status: 409,
      field: 'confirm',
      events: { 'group.user_removed': 1, 'user.deleted': 3, 'group.deleted': 1 },
      confirm: 5,
    },
  ]);
  expect((await remove(directory, '?confirm=4')).status).toBe(409);
  expect(await get('')).toMatchObject({ state: 'active', on_directory_delete: 'events' });

  const { status, body } = await remove(directory, '?confirm=5');
  expect([status, body.data]).toEqual([200, { state: 'deleting' }]);
  await isGone(directory);
  expect(receiver.received.slice(7).map(({ event }) => [event.event, event.reason])).toEqual([
    ['group.user_removed', 'deletion'],
    ['user.deleted', 'deletion'],
    ['user.deleted', 'deletion'],
    ['user.deleted', 'deletion'],
    ['group.deleted', 'deletion'],
  ]);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  await until(async () => (await rowsOf(directory)) === 0);
});

it('tells nobody of users of whom nobody was told', async () => {
  const { directory } = await createRemovable({ inactive_users: 'delete' });
  const before = (await readEvents(service, directory.id)).length;
  expect((await remove(directory)).body.error.events).toEqual({ 'group.user_removed': 0, 'user.deleted': 1, 'group.deleted': 1 });
  await remove(directory, '?confirm=2');
  await isGone(directory);
  expect(receiver.received.slice(before).map(({ event }) => event.event)).toEqual(['user.deleted', 'group.deleted']);
});

it('while the receiver is away, is deactivated and waits, whoever deletes it again', async () => {
  const { directory, get, patch, untilDone } = await createRemovable();
  await untilDone();
  receiver.respond = fail;
  await remove(directory, '?confirm=5');
  expect(await get('')).toMatchObject({ state: 'deleting', deactivated: true });
  expect((await directory.scim('POST', '/Users', ada)).status).toBe(403);
  const listed = await service.api('GET', '/api/v1/directory-sync/all?limit=100');
  expect(listed.body.data.find(({ id }: { id: string }) => id === directory.id)).toMatchObject({ state: 'deleting' });
  for (const change of [{ deactivated: false }, { inactive_users: 'delete' }, { on_directory_delete: 'silent' }]) {
    const { status, body } = await patch(change);
    expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', Object.keys(change)[0]]);
  }
  // What is sent as it was read changes nothing.
  const same = await patch({ name: 'New', deactivated: true, inactive_users: 'keep', on_directory_delete: 'events' });
  expect([same.status, same.body.data.name]).toEqual([200, 'New']);
  await until(async () => (await get('')).health.users === 0);
  expect((await remove(directory)).body.data).toEqual({ state: 'deleting' });
  expect((await readEvents(service, directory.id)).length).toBe(12);
  receiver.respond = take;
  expect((await patch({ webhook_url: receiver.url })).status).toBe(200);
  await isGone(directory);
  expect(new Set(receiver.received.map(({ event }) => event.sequence)).size).toBe(12);
});

it('is gone at once if that is forced, before or while it waits', async () => {
  const { directory, untilDone } = await createRemovable();
  await untilDone();
  receiver.respond = fail;
  await remove(directory, '?confirm=5');
  const forced = await remove(directory, '?force=true');
  expect([forced.status, forced.body.data]).toEqual([200, {}]);
  expect((await service.api('GET', path(directory))).status).toBe(404);
  expect((await remove(directory)).status).toBe(404);

  const { directory: other } = await createRemovable();
  const before = receiver.received.length;
  expect((await remove(other, '?force=true')).body.data).toEqual({});
  await until(async () => (await rowsOf(other)) === 0 && (await rowsOf(directory)) === 0);
  expect(receiver.received.slice(before).filter(({ event }) => event.reason === 'deletion')).toEqual([]);
  expect((await remove(other, '?force=yes')).body.error.field).toBe('force');
  expect((await remove(other, '?confirm=many')).body.error.field).toBe('confirm');
});

it.each([
  ['has no webhook', { webhook_url: '' }],
  ['has given up', {}],
])('one that %s keeps its events for a day', async (_, change) => {
  const { directory, patch, get, untilDone } = await createRemovable();
  await untilDone();
  receiver.respond = (response) => void response.writeHead(410).end();
  if (Object.keys(change).length > 0) await patch(change);
  await remove(directory, '?confirm=5');
  await until(async () => (await get('')).health.groups === 0);
  if (Object.keys(change).length === 0) await until(async () => (await get('/delivery')).status === 'disabled');
  expect((await readEvents(service, directory.id)).length).toBe(12);
  const removedSince = async (hours: number) => {
    const at = service.db.raw(`now() - ${hours} * interval '1 hour'`);
    await service.db('webhook_endpoints').where({ directory_id: directory.id }).update({ updated_at: at });
    await service.db('stored_events').where({ directory_id: directory.id }).update({ occurred_at: at });
    await service.db('all_directories').where({ id: directory.id }).update({ removing_at: at });
  };
  await removedSince(23);
  await until(
    async () =>
      (await service.db('all_directories').where({ id: directory.id }).first('batches_at')).batches_at > new Date(Date.now() - 1_000),
  );
  expect((await get('')).state).toBe('deleting');
  await removedSince(25);
  await until(async () => (await service.api('GET', path(directory))).status === 404, { timeoutMs: 60_000 });
});

it('is gone at once if nobody has to be told', async () => {
  const directory = await service.createDirectory({ on_directory_delete: 'events' });
  expect((await remove(directory)).body.data).toEqual({});
  expect((await service.api('GET', path(directory))).status).toBe(404);
});

it('deletes all others where one user cannot be deleted, and that one as soon as it can', async () => {
  const { directory, get } = await createRemovable();
  const name = `keeps_${directory.id.replaceAll('-', '')}`;
  await service.db.raw(
    `alter table stored_events add constraint ${name}
     check (directory_id <> '${directory.id}' or type <> 'user.deleted' or cast(data as text) not like '%bob@acme.example%') not valid`,
  );
  try {
    await remove(directory, '?confirm=5');
    await until(async () => (await get('')).health.groups === 0, { timeoutMs: 60_000 });
    expect((await get('')).health.users).toBe(1);
  } finally {
    await service.db.raw(`alter table stored_events drop constraint ${name}`);
  }
  await until(async () => (await service.api('GET', path(directory))).status === 404, { timeoutMs: 60_000 });
  expect(receiver.received.slice(7).map(({ event }) => event.event)).toEqual([
    'group.user_removed',
    'user.deleted',
    'user.deleted',
    'group.deleted',
    'user.deleted',
  ]);
});

it('deletes what a change that was accepted before adds', async () => {
  const { directory, untilDone, get, patch } = await createRemovable();
  await untilDone();
  receiver.respond = fail;
  await remove(directory, '?confirm=5');
  await until(async () => (await get('')).health.groups === 0);
  await service.db.raw(
    `with counted as (update all_directories set user_count = user_count + 1, resource_bytes = resource_bytes + 1000 where id = :id)
     insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     values (:id, gen_random_uuid(), 'late', 'late', true, '', '', '', '{"userName":"late"}', now(), now())`,
    { id: directory.id },
  );
  receiver.respond = take;
  await patch({ webhook_url: receiver.url });
  await isGone(directory);
  expect(receiver.received.at(-1)!.event).toMatchObject({ event: 'user.deleted', data: { raw: { userName: 'late' } } });
});
