import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { hourOf } from '../../src/directory/activity/activity.ts';
import { addPushes } from '../../src/store/activity/directory-hours.ts';
import { createOperated } from '../support/operate.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Hour {
  starts_at: string;
  pushes: number;
  rejected_pushes: number;
  events: number;
  failed_attempts: number;
}
type Count = Exclude<keyof Hour, 'starts_at'>;

const hourMs = 3_600_000;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600', EVENT_BATCH_MAX: '1' }, { recordEveryMs: 20 });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const read = async (id: string): Promise<Hour[]> => {
  const { status, body } = await service.api('GET', `/api/v1/directory-sync/${id}/activity`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data.hours;
};
/** The hour may change meanwhile. */
const total = (hours: Hour[], name: Count) => hours.reduce((sum, hour) => sum + hour[name], 0);

it('counts pushes, rejected ones, events and failed attempts', async () => {
  receiver.respond = (response) => void response.writeHead(500).end();
  const { directory, push, untilStatus } = await createOperated(service, receiver);
  await push('ada', 'ben');
  expect((await directory.scim('POST', '/Users', { userName: 'ada' })).status).toBe(409);
  await untilStatus('failing');
  await until(async () => total(await read(directory.id), 'pushes') === 3);
  const hours = await read(directory.id);
  expect(hours).toHaveLength(24);
  const starts = hours.map(({ starts_at: at }) => Date.parse(at));
  expect(starts).toEqual(starts.map((_, place) => starts[0]! + place * hourMs));
  expect(Math.abs(starts[23]! - Date.now())).toBeLessThan(2 * hourMs);
  expect((['pushes', 'rejected_pushes', 'events', 'failed_attempts'] as const).map((name) => total(hours, name))).toEqual([3, 1, 2, 1]);
  expect(hours.slice(0, 22).every(({ pushes, events, failed_attempts: failed }) => pushes + events + failed === 0)).toBe(true);
});

it('finds the events of each hour by their sequences, also when the oldest are deleted', async () => {
  const { directory, push } = await createOperated(service, receiver);
  await push('a', 'b', 'c', 'd', 'e', 'f', 'g');
  const { starts_at: last } = (await read(directory.id)).at(-1)!;
  for (const [sequence, hoursAgo] of [
    [1, 40],
    [2, 30],
    [3, 23],
    [4, 5],
    [5, 5],
    [6, 1],
    [7, 0],
  ] as const)
    await service
      .db('stored_events')
      .where({ directory_id: directory.id, sequence })
      .update({ occurred_at: new Date(Date.parse(last) - hoursAgo * hourMs + 1_000) });
  const expected = [[23, 1], [5, 2], [1, 1], [0, 1]]; // prettier-ignore
  const found = async () => {
    const hours = (await read(directory.id)).map(({ starts_at: at, events }) => [(Date.parse(last) - Date.parse(at)) / hourMs, events]);
    return hours.filter(([, events]) => events! > 0);
  };
  expect(await found()).toEqual(expected);
  await service.db('stored_events').where({ directory_id: directory.id }).where('sequence', '<=', 2).delete();
  await service.db('all_directories').where({ id: directory.id }).update({ swept_sequence: 2 });
  expect(await found()).toEqual(expected);
  await service.db('stored_events').where({ directory_id: directory.id }).delete();
  await service.db('all_directories').where({ id: directory.id }).update({ swept_sequence: 7 });
  expect(await found()).toEqual([]);
});

it('counts what another process adds, and replaces the hour before the last day', async () => {
  const { directory } = await createOperated(service, receiver);
  const present = hourOf(Date.now());
  const add = (hour: number, pushes: number) => addPushes(service.db, [{ directoryId: directory.id, hour, pushes, rejectedPushes: 1 }]);
  await add(present - 2, 4);
  await Promise.all([add(present - 2, 1), add(present - 2, 1)]);
  await add(present - 31, 100);
  // It has the slot of the hour after that.
  await add(present + 1, 5);
  await add(present - 31, 100);
  await add(present - 40, 7);
  const counts = (await read(directory.id)).map(({ pushes }) => pushes);
  expect(counts.filter((pushes) => pushes > 0).slice(0, 1)).toEqual([6]);
  const rows = await service
    .db('directory_hours')
    .where({ directory_id: directory.id })
    .orderBy('hour')
    .select('hour', 'pushes', 'rejected_pushes');
  expect(rows.map(({ hour, pushes, rejected_pushes: rejected }) => [hour - present, pushes, rejected])).toEqual([
    [-40, 7, 1],
    [-2, 6, 3],
    [1, 5, 1],
  ]);
  // Deleted directories are left out.
  await addPushes(service.db, [{ directoryId: newId(), hour: present, pushes: 1, rejectedPushes: 0 }]);
});

it('counts the newest hours after an outage of more than a day', async () => {
  const { directory } = await createOperated(service, receiver);
  const present = hourOf(Date.now());
  const counted = [present - 33, present - 1, present].map((hour) => ({ directoryId: directory.id, hour, pushes: 2, rejectedPushes: 0 }));
  await addPushes(service.db, counted);
  expect((await read(directory.id)).slice(-2).map(({ pushes }) => pushes)).toEqual([2, 2]);
});

it('has no counts of directories that do not exist', async () => {
  for (const id of [newId(), 'x'])
    expect((await service.api('GET', `/api/v1/directory-sync/${id}/activity`)).body.error.code).toBe('not_found');
});
