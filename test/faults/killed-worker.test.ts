import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { expectInOrder, receivedFor, untilDelivered } from '../support/deliveries.ts';
import { createInstallation, withoutThreads, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { startReceiver, take, type Receiver } from '../support/receiver.ts';
import { everyRound } from '../support/rounds.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
/**
 * Much less than the timeout of the activity's heartbeat. A worker that is frozen within a transaction keeps its locks until Postgres ends the
 * transaction, after 30 s.
 */
const takeoverTimeoutMs = 60_000;

let installation: Installation;
let api: RunningRollcall;
let receiver: Receiver;
beforeAll(async () => {
  installation = await createInstallation({ env: { ...withoutThreads, WEBHOOK_TIMEOUT_MS: '30000' } });
  api = await installation.start({ command: ['api'] });
});
afterAll(async () => {
  await api?.kill();
  await installation?.remove();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const startWorker = () => installation.start({ command: ['worker'], env: { PORT: '0' } });
const push = async (directory: TestDirectory, userName: string) =>
  expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
const endpoint = ({ id }: TestDirectory) =>
  installation.db('webhook_endpoints').where({ directory_id: id }).first<{ worker_id: string | null; wake: boolean; epoch: number }>();
const untilLingering = (directory: TestDirectory) =>
  until(async () => {
    const { worker_id: worker, wake } = await endpoint(directory);
    return worker !== null && wake;
  });
const untilTakenOver = (directory: TestDirectory, worker: string) =>
  until(async () => (await endpoint(directory)).worker_id !== worker, { timeoutMs: takeoverTimeoutMs });
const sequencesOf = (directory: TestDirectory) => receivedFor(receiver, directory).map(({ event }) => event.sequence);

it.each(everyRound)(
  'takes over the deliveries of a worker that was killed while it waited for events, without an event (round %i)',
  async () => {
    await using dead = await startWorker();
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    await push(directory, 'a');
    await untilLingering(directory);
    const { worker_id: before } = await endpoint(directory);
    await using survivor = await startWorker();
    await dead.kill();
    await untilTakenOver(directory, before!);
    await push(directory, 'b');
    expect(await untilDelivered(installation.db, directory)).toBe(2);
    expect(sequencesOf(directory)).toEqual([1, 2]);
    await survivor.kill();
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'keeps the order when a worker is frozen while it waits for events, and continues after another one took over (round %i)',
  async () => {
    await using frozen = await startWorker();
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    await push(directory, 'a');
    await untilLingering(directory);
    const { worker_id: before } = await endpoint(directory);
    await using other = await startWorker();
    frozen.signal('SIGSTOP');
    for (const userName of ['b', 'c']) await push(directory, userName);
    await untilTakenOver(directory, before!);
    await until(() => sequencesOf(directory).includes(3), { timeoutMs: takeoverTimeoutMs });
    frozen.signal('SIGCONT');
    for (const userName of ['d', 'e', 'f']) await push(directory, userName);
    expect(await untilDelivered(installation.db, directory)).toBe(6);
    expectInOrder(receivedFor(receiver, directory), directory, 6);
    await Promise.all([frozen.kill(), other.kill()]);
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'repeats only the webhook in flight when a worker is frozen during its POST and continues later (round %i)',
  async () => {
    const held: Parameters<Receiver['respond']>[0][] = [];
    receiver.respond = (response) => void held.push(response);
    await using frozen = await startWorker();
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    for (const userName of ['a', 'b', 'c']) await push(directory, userName);
    await until(() => held.length === 1);
    const { worker_id: before } = await endpoint(directory);
    await using other = await startWorker();
    frozen.signal('SIGSTOP');
    receiver.respond = take;
    await untilTakenOver(directory, before!);
    await until(() => sequencesOf(directory).includes(3), { timeoutMs: takeoverTimeoutMs });
    held[0]!.end('ok');
    frozen.signal('SIGCONT');
    for (const userName of ['d', 'e']) await push(directory, userName);
    expect(await untilDelivered(installation.db, directory)).toBe(5);
    const requests = receivedFor(receiver, directory);
    expectInOrder(requests, directory, 5);
    expect(requests.slice(0, 4).map(({ event }) => event.sequence)).toEqual([1, 1, 2, 3]);
    expect(requests[1]!.headers['webhook-id']).toBe(requests[0]!.headers['webhook-id']);
    await Promise.all([frozen.kill(), other.kill()]);
  },
  testTimeoutMs,
);

it.each(everyRound)(
  'continues with the same worker after it was frozen for longer than its lease, if no other worker exists (round %i)',
  async () => {
    await using frozen = await startWorker();
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    await push(directory, 'a');
    await untilLingering(directory);
    const { worker_id: worker } = await endpoint(directory);
    frozen.signal('SIGSTOP');
    await push(directory, 'b');
    await until(
      async () =>
        (await installation.db('delivery_workers').where({ id: worker! }).andWhereRaw('expires_at < now()').first()) !== undefined,
    );
    frozen.signal('SIGCONT');
    await push(directory, 'c');
    expect(await untilDelivered(installation.db, directory)).toBe(3);
    expectInOrder(receivedFor(receiver, directory), directory, 3);
    await frozen.kill();
  },
  testTimeoutMs,
);
