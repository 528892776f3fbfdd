import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ DSYNC_WEBHOOK_BATCH_SIZE: '3' });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const push = async (directory: TestDirectory, count: number) => {
  for (let index = 1; index <= count; index += 1) {
    const userName = `${directory.id}-${randomUUID()}`;
    expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
  }
};
const process = async () => {
  const { status, body } = await service.api('POST', '/api/v1/dsync/cron/process-events');
  expect(status).toBe(200);
  return (body as { data: { directory_ids: string[] } }).data.directory_ids;
};
const sequences = () => receiver.received.map(({ text }) => (JSON.parse(text) as { sequence: number }[]).map(({ sequence }) => sequence));
const acked = async ({ id }: TestDirectory) =>
  (await service.db('webhook_endpoints').where({ directory_id: id }).first<{ acked_sequence: number }>()).acked_sequence;

it('keeps events until they are requested, and sends them in arrays then', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 5);
  expect((await service.client.workflow.count(`DirectoryIds = '${directory.id}' and WorkflowType = 'eventDelivery'`)).count).toBe(0);
  expect(await process()).toContain(directory.id);
  await until(async () => (await acked(directory)) === 5);
  expect(sequences()).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

it('allows any number of concurrent requests: each directory is reported, and each event is sent once', async () => {
  const directories = await Promise.all(Array.from({ length: 5 }, () => service.createDirectory({ webhook_url: receiver.url })));
  await Promise.all(directories.map((directory) => push(directory, 4)));
  const reported = (await Promise.all(Array.from({ length: 10 }, process))).flat();
  // A directory whose delivery has begun, and is not done, may be reported again.
  expect([...new Set(reported)].toSorted()).toEqual(directories.map(({ id }) => id).toSorted());
  await Promise.all(directories.map((directory) => until(async () => (await acked(directory)) === 4)));
  expect(sequences().flat()).toHaveLength(20);
});

it('delivers on a schedule, and stops when it is no longer configured', async () => {
  const often = await startTestService({ DSYNC_WEBHOOK_BATCH_SIZE: '10', DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: '1' });
  try {
    const directory = await often.createDirectory({ webhook_url: receiver.url });
    await push(directory, 2);
    await until(() => receiver.received.length > 0);
    const interval = async () => {
      try {
        const { spec } = await often.client.schedule.getHandle('rollcall-process-events').describe();
        return spec.intervals![0]!.every;
      } catch (error) {
        return (error as Error).name;
      }
    };
    await until(async () => (await interval()) === 1000);
    for (const [seconds, wanted] of [
      ['60', 60_000],
      ['', 'ScheduleNotFoundError'],
    ] as const) {
      const another = await often.startAnother({ DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: seconds });
      await until(async () => (await interval()) === wanted);
      await another.stop();
    }
  } finally {
    await often.stop();
  }
}, 180_000);
