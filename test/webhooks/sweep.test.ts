import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { take } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { until } from '../support/until.ts';

/** What the sweep does for deliveries. */

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
const receiver = useReceiver();

const push = async (directory: TestDirectory, userName: string) =>
  expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
const namesReceived = () => receiver.received.map(({ event }) => event.data.raw.userName).join('');

/** As if nothing had happened for a while. */
async function sweepLater({ db, client }: TestService, { id }: TestDirectory): Promise<void> {
  await db('webhook_endpoints')
    .where({ directory_id: id })
    .update({ wake_at: new Date(0), updated_at: new Date(0) });
  await db('webhook_batches')
    .where({ directory_id: id })
    .update({ next_attempt_at: new Date(0) });
  await client.workflow.execute('sweep', { workflowId: `sweep-${id}`, taskQueue: 'rollcall-deliveries' });
}

/** A directory whose first activity was lost on the way to its worker. */
async function startLosingFirstDrain() {
  let starts = 0;
  const lossy = await startTestService(
    {},
    {
      replaceActivityDeps: (deps) => ({
        ...deps,
        lease: { ...deps.lease, hold: () => ((starts += 1) === 1 ? new Promise(() => undefined) : deps.lease.hold()) },
      }),
    },
  );
  const directory = await lossy.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a');
  await until(() => starts === 1);
  return { lossy, directory };
}

it('finds an event whose wake-up was lost, although Temporal has no workflow', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a');
  // Its drain waits for more events, and would deliver them without a workflow.
  await until(async () => {
    const endpoint = service.db('webhook_endpoints').where({ directory_id: directory.id });
    const { acked_sequence: acked, worker_id: worker } = await endpoint.clone().first();
    if (acked === 1) await endpoint.update({ wake: false });
    return acked === 1 && worker === null;
  });
  await service.client.workflow.getHandle(`deliver:${directory.id}`).terminate();
  await service.db('webhook_endpoints').where({ directory_id: directory.id }).update({ wake: true });
  await push(directory, 'b');
  await sweepLater(service, directory);
  await until(() => namesReceived().endsWith('b'));
});

it('restarts a delivery whose activity never reached its worker', async () => {
  const { lossy, directory } = await startLosingFirstDrain();
  try {
    await sweepLater(lossy, directory);
    await until(() => namesReceived() === 'a');
  } finally {
    await lossy.stop();
  }
});

it('leaves a delivery to an activity that sent a heartbeat, because its process has no lease: that of the release before', async () => {
  const { lossy, directory } = await startLosingFirstDrain();
  try {
    const workflowId = `deliver:${directory.id}`;
    const readActivities = async () => (await lossy.client.workflow.getHandle(workflowId).describe()).raw.pendingActivities ?? [];
    const [activity] = await readActivities();
    await lossy.client.activity.heartbeat({ workflowId, activityId: activity!.activityId! });
    await sweepLater(lossy, directory);
    expect(await readActivities()).toMatchObject([{ attempt: 1, lastFailure: null }]);
  } finally {
    await lossy.stop();
  }
});

it('wakes deliveries although that of another directory cannot be restarted', async () => {
  let unlucky = '';
  const failing = await startTestService(
    { WEBHOOK_RETRY_SCHEDULE: retryEvery(600) },
    {
      replaceActivityDeps: (deps) => ({
        ...deps,
        restartLostDrain: (id) => (id === unlucky ? Promise.reject(new Error('no response')) : deps.restartLostDrain(id)),
      }),
    },
  );
  try {
    receiver.respond = (response) => void response.writeHead(500).end();
    const directories = [];
    for (const name of ['a', 'b', 'c']) {
      const directory = await failing.createDirectory({ webhook_url: receiver.url });
      directories.push(directory);
      await push(directory, name);
    }
    unlucky = directories[1]!.id;
    await until(async () => (await failing.db('webhook_attempts').whereNotNull('outcome').pluck('directory_id')).length === 3);
    await until(async () => (await failing.db('webhook_endpoints').whereNotNull('worker_id').pluck('id')).length === 0);
    receiver.received.length = 0;
    receiver.respond = take;
    await failing.db('webhook_endpoints').update({ wake_at: new Date(0), updated_at: new Date(0) });
    await failing.db('webhook_batches').update({ next_attempt_at: new Date(0) });
    await failing.client.workflow.start('sweep', { workflowId: 'sweep-failing', taskQueue: 'rollcall-deliveries' });
    await until(() => ['ac', 'ca'].includes(namesReceived()));
  } finally {
    await failing.stop();
  }
});
