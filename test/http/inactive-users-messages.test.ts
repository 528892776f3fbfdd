import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pushInactive } from '../support/inactive-users.ts';
import { newId } from '../../src/ids.ts';
import { operate } from '../support/operate.ts';
import { shareTestService, type TestService } from '../support/service.ts';

/** The error messages of the settings `inactive_users` and `on_directory_delete`. */

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

it('says what a change would send, or why it is not possible', async () => {
  const directory = await service.createDirectory();
  await pushInactive(directory);
  const { patch } = operate(service, directory);
  const messageOf = async (fields: object, of = patch) => (await of(fields)).body.error.message;
  expect(await messageOf({ inactive_users: 'delete' })).toBe(
    'The change of inactive_users would send 2 user.deleted and 1 group.user_removed: repeat it with "confirm": 3.',
  );
  expect(await messageOf({ inactive_users: 'remove' })).toBe('inactive_users must be one of keep, delete.');
  expect(await messageOf({ inactive_users: 'delete', confirm: -1 })).toBe('confirm must not be negative.');
  expect(await messageOf({ inactive_users: 'delete', confirm: '3' })).toBe('confirm must be a whole number.');

  await service.db('all_directories').where({ id: directory.id }).update({ inactive_users_upto: newId() });
  expect(await messageOf({ inactive_users: 'delete' })).toBe(
    'inactive_users is being changed: its events are still emitted. Change it again once that has ended.',
  );

  await service.db('all_directories').where({ id: directory.id }).update({ inactive_users_upto: null });
  expect(await messageOf({ on_directory_delete: 'loud' })).toBe('on_directory_delete must be one of silent, events.');
  await patch({ on_directory_delete: 'events' });
  const remove = async (query: string) =>
    (await service.api('DELETE', `/api/v1/directory-sync/${directory.id}${query}`)).body.error.message;
  expect(await remove('')).toBe(
    'The deletion would send 1 group.user_removed, 3 user.deleted and 1 group.deleted: repeat it with "confirm": 5.',
  );
  expect(await remove('?force=yes')).toBe('force must be true or false.');
  expect(await remove('?confirm=-1')).toBe('confirm must not be negative.');
  await service.db('all_directories').where({ id: directory.id }).update({ removing_at: new Date() });
  expect(await messageOf({ deactivated: false })).toBe('The directory is being deleted: deactivated cannot be changed.');
});
