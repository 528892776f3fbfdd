import { beforeAll, expect, it } from '@jest/globals';
import { Client } from '@temporalio/client';
import { createSyncSchedules, type PulledDirectory } from '../../src/temporal/sync-schedules.ts';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { changed, createPulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { listScheduledDirectories } from '../../src/store/syncs/sync-run-store.ts';

const everySeconds = 7_200;
let google: FakeGoogle;
let service: TestService;
useGoogleService((started) => ({ google, service } = started));
beforeAll(() => {
  google.addUser({ primaryEmail: 'ada@acme.example' });
});

const handleOf = (id: string) => service.client.schedule.getHandle(`rollcall-sync:${id}`);
const isThere = (id: string) =>
  handleOf(id)
    .describe()
    .then(
      () => true,
      () => false,
    );
const isPaused = async (id: string) => (await handleOf(id).describe()).state.paused;
const createSchedules = (
  list: (after: string, limit: number) => Promise<PulledDirectory[]> = listScheduledDirectories(service.db),
  every = everySeconds,
) => createSyncSchedules({ client: service.client, everySeconds: every, listPulled: list });
const listed = async () => {
  const ids: string[] = [];
  for await (const { scheduleId } of service.client.schedule.list()) ids.push(scheduleId);
  return ids;
};

it('creates a schedule for each pulled directory, which starts its syncs', async () => {
  const directory = await createPulledDirectory(service, google);
  await until(() => isThere(directory.id));
  const { spec, policies, state } = await handleOf(directory.id).describe();
  expect(spec.intervals).toEqual([{ every: everySeconds * 1000, offset: expect.any(Number) }]);
  expect(spec.jitter).toBe(everySeconds * 100);
  expect([policies.overlap, state.paused]).toEqual(['SKIP', false]);

  await handleOf(directory.id).trigger();
  const run = await directory.untilNewestEnded();
  expect([run.state, run.trigger, run.changed]).toEqual(['succeeded', 'schedule', changed({ users: [1, 0, 0] })]);
  expect(await directory.describeNewEvents()).toEqual(['user.created ada@acme.example']);
});

it('pauses the schedule of a deactivated directory, reads nothing even if it is triggered, and deletes it with the directory', async () => {
  const [directory, unauthorized] = await Promise.all([
    createPulledDirectory(service, google),
    createPulledDirectory(service, google, { google_access_token: '', google_refresh_token: '' }),
  ]);
  await until(async () => (await isThere(directory.id)) && isThere(unauthorized.id));
  await directory.change({ deactivated: true });
  await until(() => isPaused(directory.id));
  for (const { id } of [directory, unauthorized]) {
    await handleOf(id).trigger();
    await until(async () => {
      const { info } = await handleOf(id).describe();
      return info.recentActions.length > 0 && info.runningActions.length === 0;
    });
  }
  expect([await directory.runs(), await unauthorized.runs()]).toEqual([[], []]);
  await directory.change({ deactivated: false });
  await until(async () => !(await isPaused(directory.id)));
  await service.api('DELETE', directory.path);
  await until(async () => !(await isThere(directory.id)));
});

it('restores schedules that were lost or changed, and deletes orphans', async () => {
  const [lost, off, other] = await Promise.all([1, 2, 3].map(() => createPulledDirectory(service, google)));
  const ids = [lost!, off!, other!].map(({ id }) => id).sort();
  await until(async () => (await Promise.all(ids.map(isThere))).every(Boolean));
  const orphan = '01a1ff30-c146-729a-bf4b-5952806c3447';
  await createSchedules().keep({ id: orphan, deactivated: false });
  await handleOf(lost!.id).delete();
  await handleOf(off!.id).pause();
  await until(async () => {
    const names = await listed();
    return names.includes(`rollcall-sync:${orphan}`) && !names.includes(`rollcall-sync:${lost!.id}`);
  });
  const reads: string[] = [];
  await createSchedules(async (after, limit) => {
    reads.push(after);
    return listScheduledDirectories(service.db)(after, limit);
  }, 3_600).reconcile();
  await until(async () => !(await isThere(orphan)));
  for (const id of ids) {
    const { spec, state } = await handleOf(id).describe();
    expect([spec.intervals?.[0]?.every, state.paused]).toEqual([3_600_000, false]);
  }
  expect(reads).toHaveLength(1);
  expect(await listed()).toEqual(expect.arrayContaining(['rollcall-sweep', 'rollcall-retain']));
});

it('replaces a schedule whose arguments a stranger has changed', async () => {
  const directory = await createPulledDirectory(service, google);
  await until(() => isThere(directory.id));
  const outsider = new Client({ connection: service.client.connection, namespace: service.client.options.namespace });
  const strange = {
    scheduleId: `rollcall-sync:${directory.id}`,
    spec: {},
    action: { type: 'startWorkflow' as const, workflowType: 'scheduledSync', taskQueue: 'rollcall-syncs', args: ['another directory'] },
  };
  await handleOf(directory.id).delete();
  await outsider.schedule.create(strange);
  await outsider.schedule.create({
    scheduleId: 'strange',
    spec: {},
    memo: { unsealed: true },
    action: { type: 'startWorkflow', workflowType: 'sweep', taskQueue: 'nobody' },
  });
  await until(async () => (await listed()).includes('strange'));
  await expect(handleOf(directory.id).describe()).rejects.toThrow('not sealed');
  await createSchedules().reconcile();
  expect((await handleOf(directory.id).describe()).action.args).toEqual([directory.id]);
});

it('spreads the times of the schedules over the interval', async () => {
  const ids = Array.from({ length: 8 }, (_, index) => `01a1ff30-c146-729a-bf4b-59528060000${index}`);
  const schedules = createSchedules();
  await Promise.all(ids.map((id) => schedules.keep({ id, deactivated: true })));
  const offsets = await Promise.all(ids.map(async (id) => (await handleOf(id).describe()).spec.intervals![0]!.offset));
  expect(Math.max(...offsets) - Math.min(...offsets)).toBeGreaterThan((everySeconds * 1000) / 3);
  expect(new Set(offsets).size).toBe(8);
  await Promise.all(ids.map((id) => schedules.remove(id)));
  await schedules.remove(ids[0]!);
});

it('limits the time of each call, not the time for all directories', async () => {
  const ids = Array.from({ length: 3 }, (_, index) => `01a1ff30-c146-729a-bf4b-${String(index).padStart(12, '0')}`);
  const callTimeoutMs = 3_000;
  const schedules = createSyncSchedules({
    client: service.client,
    everySeconds,
    callTimeoutMs,
    listPulled: async (after, limit) => {
      await until(() => Promise.resolve(performance.now() - startedMs > callTimeoutMs));
      return ids
        .filter((id) => id > after)
        .slice(0, limit)
        .map((id) => ({ id, deactivated: true }));
    },
  });
  const startedMs = performance.now();
  await schedules.reconcile();
  expect(await Promise.all(ids.map(isThere))).toEqual([true, true, true]);
});
