import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { exitCodes } from '../../src/cli/errors.ts';
import { pushInactive } from '../support/inactive-users.ts';
import { shareTestService, type TestService } from '../support/service.ts';
import { at, callRollcall } from './run-rollcall.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

it('changes the setting when its events are confirmed', async () => {
  const directory = await service.createDirectory();
  await pushInactive(directory);
  const update = (...args: string[]) =>
    callRollcall(['directories', 'update', directory.id, '--inactive-users', 'delete', ...args], at(service));
  const refused = await update();
  expect([refused.code, refused.stderr]).toEqual([exitCodes.confirmationRequired, expect.stringContaining('2 user.deleted')]);
  const changed = await update('--confirm', '3');
  expect([changed.code, changed.stderr, changed.stdout]).toEqual([0, '', expect.stringMatching(/^Inactive users +deleted/m)]);
});
