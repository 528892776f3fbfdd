import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startTestService({ WEBHOOK_URL: 'http://127.0.0.1:1/' }), startReceiver()]);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

type Handle = ReturnType<TestService['client']['workflow']['getHandle']>;
const wake = (handle: Handle): Promise<unknown> => handle.signal('wake');
/** A pause that still waits when the run ends fails. */
const pauses = (handle: Handle) => Promise.all(Array.from({ length: 8 }, () => handle.executeUpdate('pause').catch(() => undefined)));

/** A delivery continues as new when its drain has ended. A drain that waits for events ends when its wake flag is lowered. */
async function endDrain({ id }: TestDirectory): Promise<void> {
  const handle = service.client.workflow.getHandle(`deliver:${id}`);
  await until(async () => {
    await service.db('webhook_endpoints').where({ directory_id: id }).update({ wake: false });
    return (await handle.query<{ phase: string }>('phase')).phase === 'idle';
  });
}

/** Sends it messages until its history reaches the maximum length. */
async function untilContinued(workflowId: string, send = wake): Promise<boolean> {
  const runOf = async () => (await service.client.workflow.getHandle(workflowId).describe()).runId;
  const first = await runOf();
  return until(
    async () => {
      await send(service.client.workflow.getHandle(workflowId));
      return (await runOf()) !== first;
    },
    { timeoutMs: 60_000, everyMs: 5 },
  );
}

it('continues to deliver in order in a new run once the history is long', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  const push = async (userName: string) => expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
  await push('before');
  await until(() => receiver.received.length === 1);
  for (const round of [1, 2]) {
    await endDrain(directory);
    await untilContinued(`deliver:${directory.id}`);
    await push(`after ${round}`);
    await until(() => receiver.received.length === round + 1);
  }
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3]);
});

it('continues to deliver events to the operator', async () => {
  await service.client.workflow.signalWithStart('operatorDelivery', {
    workflowId: 'operator-events',
    taskQueue: 'rollcall-deliveries',
    signal: 'wake',
    args: [],
  });
  expect(await untilContinued('operator-events')).toBe(true);
});

it('continues a delivery that is only paused, again and again', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  const { length } = receiver.received;
  await directory.scim('POST', '/Users', { userName: 'ada' });
  await until(() => receiver.received.length > length);
  await endDrain(directory);
  expect(await untilContinued(`deliver:${directory.id}`, pauses)).toBe(true);
});
