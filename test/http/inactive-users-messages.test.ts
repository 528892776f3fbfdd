import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fillInactive, pushInactive } from '../support/inactive-users.ts';
import { operate } from '../support/operate.ts';
import { shareTestService, type TestService } from '../support/service.ts';

/** The error messages of the setting `inactive_users`. */

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

  const large = await service.createDirectory();
  await fillInactive(service, large.id, 10_001, 'true');
  expect(await messageOf({ inactive_users: 'delete' }, operate(service, large).patch)).toBe(
    'The change of inactive_users would send more than 10000 events, or too large ones: it has to be set before the directory has so many inactive users.',
  );
});
