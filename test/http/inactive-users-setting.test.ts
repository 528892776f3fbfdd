import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fillInactive, push, pushInactive, readBoth, readEvents } from '../support/inactive-users.ts';
import { createOperated, operate } from '../support/operate.ts';
import { ada, shareTestService, type TestService } from '../support/service.ts';
import { readFeed } from '../support/snapshots.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

/** Changes of the setting `inactive_users` of a directory. */

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

async function createInactive(fields: Record<string, unknown> = {}) {
  const operated = await createOperated(service, receiver, fields);
  await pushInactive(operated.directory);
  return operated;
}
const typesOf = async (id: string) => (await readEvents(service, id)).map(({ event }) => event);

it('says what it would send, changes nothing until that is confirmed, and sends it then', async () => {
  const { directory, patch: update, get } = await createInactive();
  const refused = await update({ inactive_users: 'delete', name: 'New' });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    {
      code: 'confirmation_required',
      message: expect.any(String),
      status: 409,
      field: 'inactive_users',
      events: { 'user.deleted': 2, 'group.user_removed': 1 },
      confirm: 3,
    },
  ]);
  expect((await update({ inactive_users: 'delete', confirm: 2 })).status).toBe(409);
  expect(await get('')).toMatchObject({ inactive_users: 'keep', name: 'scim-acme-app' });
  expect(await typesOf(directory.id)).toHaveLength(7);

  const changed = await update({ inactive_users: 'delete', confirm: 3 });
  expect([changed.status, changed.body.data.inactive_users]).toEqual([200, 'delete']);
  const received = await until(() => receiver.received.length >= 10 && receiver.received.map(({ event }) => event));
  expect(received.slice(7).map(({ event, reason }) => [event, reason])).toEqual([
    ['group.user_removed', 'setting'],
    ['user.deleted', 'setting'],
    ['user.deleted', 'setting'],
  ]);
  expect(await readEvents(service, directory.id)).toEqual(received);
  expect((await update({ inactive_users: 'delete' })).status).toBe(200);
  const [fed, shown] = await readBoth(service, directory.id);
  expect(fed).toEqual(shown);

  expect((await update({ inactive_users: 'keep' })).body.error).toMatchObject({
    confirm: 3,
    events: { 'user.created': 2, 'group.user_added': 1 },
  });
  expect((await update({ inactive_users: 'keep', confirm: 3 })).status).toBe(200);
  expect((await typesOf(directory.id)).slice(10)).toEqual(['user.created', 'user.created', 'group.user_added']);
  const [again, present] = await readBoth(service, directory.id);
  expect(again).toEqual(present);
  expect([present.users.size, present.memberships.size]).toEqual([3, 1]);
});

it('needs no confirmation where nobody is inactive', async () => {
  const directory = await service.createDirectory();
  await push(directory, '/Users', ada);
  const { patch: update } = operate(service, directory);
  expect((await update({ inactive_users: 'delete' })).status).toBe(200);
  expect((await update({ inactive_users: 'keep' })).status).toBe(200);
  expect(await typesOf(directory.id)).toEqual(['user.created']);
  expect((await update({ inactive_users: 'remove' })).body.error).toMatchObject({ code: 'invalid_request', field: 'inactive_users' });
  expect((await update({ inactive_users: 'delete', confirm: -1 })).body.error.field).toBe('confirm');
});

it('is refused where it would send more than one transaction may', async () => {
  const directory = await service.createDirectory();
  await fillInactive(service, directory.id, 10_001, 'true');
  const { patch: update } = operate(service, directory);
  const { status, body } = await update({ inactive_users: 'delete', confirm: 10_001 });
  expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', 'inactive_users']);
  await service.db('users').where({ directory_id: directory.id, user_name: 'u1' }).delete();
  expect((await update({ inactive_users: 'delete', confirm: 10_000 })).status).toBe(200);
  expect((await readFeed(service, directory.id, '')).length).toBe(10_000);
});

it('does not come apart from its events', async () => {
  const { directory, patch: update, get } = await createInactive({ webhook_url: undefined });
  const name = `fails_${directory.id.replaceAll('-', '')}`;
  await service.db.raw(
    `alter table stored_events add constraint ${name} check (directory_id <> '${directory.id}' or type <> 'user.deleted') not valid`,
  );
  try {
    expect((await update({ inactive_users: 'delete', confirm: 3 })).status).toBe(500);
  } finally {
    await service.db.raw(`alter table stored_events drop constraint ${name}`);
  }
  expect(await get('')).toMatchObject({ inactive_users: 'keep' });
  expect(await typesOf(directory.id)).toHaveLength(7);
});
