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

it('deletes a directory with events when these are confirmed', async () => {
  const directory = await service.createDirectory({ on_directory_delete: 'events' });
  await pushInactive(directory);
  const remove = (...args: string[]) => callRollcall(['directories', 'delete', directory.id, '--yes', ...args], at(service));
  const refused = await remove();
  expect([refused.code, refused.stderr]).toEqual([exitCodes.confirmationRequired, expect.stringContaining('repeat it with --confirm 5')]);
  const removed = await remove('--confirm', '5');
  expect([removed.code, removed.stderr, removed.stdout]).toEqual([
    0,
    '',
    expect.stringContaining('It is deleted once its events are delivered'),
  ]);
  const shown = await callRollcall(['directories', 'show', directory.id], at(service));
  expect(shown.stdout).toMatch(/^Deletion +waits for the delivery of its events$/m);
  const forced = await remove('--force');
  expect([forced.code, forced.stdout]).toEqual([0, expect.stringContaining('Deleted directory')]);
});
