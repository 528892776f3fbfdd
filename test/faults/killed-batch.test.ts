import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createInstallation, withoutThreads, type Installation } from '../support/installation.ts';
import type { RunningRollcall } from '../support/process.ts';
import { startReceiver, take, type Receiver } from '../support/receiver.ts';
import { everyRound } from '../support/rounds.ts';
import type { TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

let installation: Installation;
let connection: Connection;
let client: Client;
let api: RunningRollcall;
let receiver: Receiver;
beforeAll(async () => {
  installation = await createInstallation({ env: { ...withoutThreads, WEBHOOK_TIMEOUT_MS: '30000', DSYNC_WEBHOOK_BATCH_SIZE: '2' } });
  connection = await Connection.connect({ address: installation.env['TEMPORAL_ADDRESS']! });
  client = new Client({ connection, namespace: installation.env['TEMPORAL_NAMESPACE']! });
  api = await installation.start({ command: ['api'] });
});
afterAll(async () => {
  await connection?.close();
  await api?.kill();
  await installation?.remove();
});
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const startWorker = () => installation.start({ command: ['worker'], env: { PORT: '0' } });
const untilAcked = ({ id }: TestDirectory, sequence: number, timeoutMs: number) =>
  until(
    async () => (await installation.db('webhook_endpoints').where({ directory_id: id, acked_sequence: sequence }).first()) !== undefined,
    {
      timeoutMs,
    },
  );
const activityOf = async ({ id }: TestDirectory) =>
  (await client.workflow.getHandle(`deliver:${id}`).describe()).raw.pendingActivities?.[0]?.activityId;

const cases: [when: string, reached: (directory: TestDirectory) => Promise<unknown>][] = [
  ['in its workflow task', () => Promise.resolve()],
  ['as an activity', (directory) => until(async () => (await activityOf(directory)) === 'batch-1')],
];
const rounds = everyRound.flatMap((round) => cases.map(([when, reached]) => [when, round, reached] as const));

it.each(rounds)(
  'repeats only the webhook in flight if the worker is killed while it sends a batch %s (round %i)',
  async (_, _round, reached) => {
    await using dead = await startWorker();
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    for (const userName of ['a', 'b', 'c']) expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
    let isHeld = false;
    receiver.respond = () => void (isHeld = true);
    expect((await installation.api('POST', '/api/v1/dsync/cron/process-events')).status).toBe(200);
    await until(() => isHeld);
    await reached(directory);
    await dead.kill();
    receiver.respond = take;
    await using survivor = await startWorker();
    await untilAcked(directory, 3, Number(process.env['RECOVER_WITHIN_MS'] ?? 30_000));
    expect(receiver.received.map(({ text }) => (JSON.parse(text) as { sequence: number }[]).map(({ sequence }) => sequence))).toEqual([
      [1, 2],
      [1, 2],
      [3],
    ]);
    const [first, repeated] = receiver.received;
    expect(repeated!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(repeated!.text).toBe(first!.text);
    await survivor.kill();
  },
  180_000,
);
