import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { lowestId } from '../../src/ids.ts';
import { defaultQuotas } from '../../src/directory/quotas.ts';
import { createDirectoryBatchStore } from '../../src/store/directories/directory-batch-store.ts';
import { emitRange } from '../../src/store/directories/emit-inactive-users.ts';
import { expectUserKeys } from '../support/event-keys.ts';
import { fillInactive, patch, push, pushInactive, readBoth, readEvents, setActive } from '../support/inactive-users.ts';
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

const untilChanged = (get: (path: string) => Promise<{ inactive_users_change?: string }>) =>
  until(async () => (await get('')).inactive_users_change === undefined);

it('is done in batches where it would send more than one transaction may', async () => {
  const directory = await service.createDirectory();
  await fillInactive(service, directory.id, 10_001, 'true');
  const { patch: update, get } = operate(service, directory);
  expect((await update({ inactive_users: 'delete', confirm: 10_000 })).body.error).toMatchObject({
    confirm: 10_001,
    events: { 'user.deleted': 10_001, 'group.user_removed': 0 },
  });
  const { status, body } = await update({ inactive_users: 'delete', confirm: 10_001 });
  expect([status, body.data.inactive_users, body.data.inactive_users_change]).toEqual([200, 'delete', 'in_progress']);
  const again = await update({ inactive_users: 'keep', confirm: 10_001 });
  expect([again.status, again.body.error.field]).toEqual([400, 'inactive_users']);
  await untilChanged(get);
  const fed = await readFeed(service, directory.id, '');
  expect([fed.length, new Set(fed.map(({ data }) => data.id)).size]).toEqual([10_001, 10_001]);
});

it('applies to the users of the batches so far, whatever is pushed meanwhile', async () => {
  for (const [from, to] of [
    ['keep', 'delete'],
    ['delete', 'keep'],
  ] as const) {
    const directory = await service.createDirectory({ inactive_users: from });
    const { patch: update, get } = operate(service, directory);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await push(directory, '/Users', { userName: name }));
    const group = await push(directory, '/Groups', { displayName: 'Team', members: ids.map((value) => ({ value })) });
    for (const id of ids.slice(0, 5)) await setActive(directory, id, false);
    // The first batch ends after the second user.
    await service.db.transaction(async (trx) => {
      await emitRange(trx, directory.id, { inactiveUsers: to, after: lowestId, upto: ids[1] });
      await trx('all_directories')
        .where({ id: directory.id })
        .update({ inactive_users: to, inactive_users_upto: ids[1], revision: trx.raw('revision + 1') });
    });
    const [midway, shownMidway] = await readBoth(service, directory.id);
    expect(midway).toEqual(shownMidway);
    expect(midway.users.size).toBe(to === 'delete' ? 4 : 3);
    await setActive(directory, ids[0]!, true);
    await setActive(directory, ids[2]!, true);
    await setActive(directory, ids[5]!, false);
    await directory.scim('DELETE', `/Users/${ids[3]}`);
    await patch(directory, `/Groups/${group}`, { op: 'remove', path: 'members', value: [{ value: ids[4] }] });
    await push(directory, '/Users', { userName: 'g', active: false });
    const [between, shownBetween] = await readBoth(service, directory.id);
    expect(between).toEqual(shownBetween);
    expect((await update({ inactive_users: to })).status).toBe(200);
    await untilChanged(get);
    const [fed, shown] = await readBoth(service, directory.id);
    expect(fed).toEqual(shown);
    expect([fed.users.size, fed.memberships.size]).toEqual(to === 'delete' ? [2, 2] : [6, 4]);
    await expectUserKeys(service.db, directory.id);
  }
});

it('continues after its process was killed, from where a batch ended', async () => {
  const directory = await service.createDirectory();
  const ids = await fillInactive(service, directory.id, 1_500, 'true');
  const { get } = operate(service, directory);
  await service.db.transaction(async (trx) => {
    await emitRange(trx, directory.id, { inactiveUsers: 'delete', after: lowestId, upto: ids[9] });
    await trx('all_directories')
      .where({ id: directory.id })
      .update({ inactive_users: 'delete', inactive_users_upto: ids[9], batches_at: trx.raw(`now() - interval '1 minute'`) });
  });
  const unfinished = createDirectoryBatchStore(service.db, { emitOperatorEvent: () => Promise.resolve(), quotas: defaultQuotas });
  expect(await unfinished.findUnfinished(100)).toContain(directory.id);
  expect(await unfinished.emitInactive(directory.id)).toBe('more');
  expect((await readFeed(service, directory.id, '')).length).toBe(1_010);
  expect(await unfinished.emitInactive(directory.id)).toBe('more');
  expect(await unfinished.emitInactive(directory.id)).toBe('done');
  expect(await unfinished.emitInactive(directory.id)).toBe('done');
  expect(new Set((await readFeed(service, directory.id, '')).map(({ data }) => data.id)).size).toBe(1_500);
  await expectUserKeys(service.db, directory.id);
  expect((await get('')).inactive_users_change).toBeUndefined();
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
