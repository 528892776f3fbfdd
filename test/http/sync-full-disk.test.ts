import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { FakeGoogle } from '../support/google/fake-google.ts';
import { useGoogleService } from '../support/google-service.ts';
import { changed, createPulledDirectory, hold, type PulledDirectory } from '../support/pulled-directories.ts';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let free = Infinity;
let google: FakeGoogle;
let service: TestService;
useGoogleService(
  (started) => ({ google, service } = started),
  { MIN_FREE_DISK_BYTES: '1000', LOW_DISK_BYTES_PER_DIRECTORY: '20000' },
  { freeDiskBytes: () => Promise.resolve(free) },
);
beforeEach(() => google.preset({}));
afterEach(() => {
  free = Infinity;
});

const addUsers = (count: number) => Array.from({ length: count }, () => google.addUser());
const untilFull = () => until(async () => (await service.api('GET', '/health/ready')).status === 503);
const onlyDeletions = async (directory: PulledDirectory) => (await directory.get()).health.only_deletions as string | null;
const countStaged = async (runId: string) => Number((await service.db('sync_users').where({ run_id: runId }).count())[0]!['count']);

it('a sync waits while the disk is almost full, says why, and continues by itself', async () => {
  addUsers(3);
  const directory = await createPulledDirectory(service, google);
  free = 999;
  await untilFull();
  const runId = await directory.begin();
  const waiting = await directory.untilRun(runId, ({ notice }) => notice !== null);
  expect(waiting.notice).toMatch(/^The disk is almost full: .*MIN_FREE_DISK_BYTES.* The sync waits\.$/);
  expect([waiting.state, waiting.pages, await countStaged(runId)]).toEqual(['running', 0, 0]);
  free = Infinity;
  expect(await directory.untilEnded(runId)).toMatchObject({ state: 'succeeded', changed: changed({ users: [3, 0, 0] }) });
});

it('a sync that reads pages stops after the page in progress, and continues at the next one', async () => {
  addUsers(1_200);
  const directory = await createPulledDirectory(service, google);
  const pages = hold(google, directory.isRequestFor('users'));
  const runId = await directory.begin();
  await pages.reached();
  free = 999;
  await untilFull();
  pages.release();
  const waiting = await directory.untilRun(runId, ({ notice }) => notice !== null);
  expect([waiting.pages, waiting.notice]).toEqual([1, expect.stringContaining('MIN_FREE_DISK_BYTES')]);
  const staged = await countStaged(runId);
  expect(staged).toBeLessThan(1_200);
  free = Infinity;
  expect(await directory.untilEnded(runId)).toMatchObject({ state: 'succeeded', changed: changed({ users: [1_200, 0, 0] }) });
}, 60_000);

it('while the disk is low, a sync of a directory over its share waits, and others are synced', async () => {
  addUsers(30);
  const [large, small] = [await createPulledDirectory(service, google), await createPulledDirectory(service, google, { tenant: 'small' })];
  expect((await large.sync()).state).toBe('succeeded');
  google.preset({});
  addUsers(1);
  free = 3_999;
  await until(() => onlyDeletions(large));
  const runId = await large.begin();
  const { notice } = await large.untilRun(runId, (run) => run.notice !== null);
  expect(notice).toMatch(/LOW_DISK_BYTES\).*20000 \(LOW_DISK_BYTES_PER_DIRECTORY\).*The sync waits\.$/);
  expect(await onlyDeletions(small)).toBeNull();
  expect(await small.sync()).toMatchObject({ state: 'succeeded', changed: changed({ users: [1, 0, 0] }) });
  free = 4_000;
  expect((await large.untilEnded(runId)).finished_at).not.toBeNull();
  expect(await onlyDeletions(large)).toBeNull();
});
