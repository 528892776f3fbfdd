import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, WorkflowFailedError, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, type Payload } from '@temporalio/common';
import { newId } from '../../src/ids.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** A stranger can reach Temporal, but has no key of Rollcall's: commands without seals, and old payloads that are used again. */
let service: TestService;
let receiver: Receiver;
let outsider: Client;
let directory: TestDirectory;
beforeAll(async () => {
  [service, receiver] = await Promise.all([startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600' }), startReceiver()]);
  outsider = new Client({ connection: service.client.connection, namespace: service.client.options.namespace });
  directory = await service.createDirectory({ webhook_url: receiver.url });
  await directory.scim('POST', '/Users', ada);
  await until(() => receiver.received.length === 1);
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
});

const mutationOf = (id: string, userName: string) => ({
  id,
  directoryId: directory.id,
  kind: 'createUser',
  resourceId: newId(),
  resource: { userName, active: true },
});
const start = (client: Client, type: string, workflowId: string, taskQueue: string, ...args: unknown[]) =>
  client.workflow.start(type, { workflowId, taskQueue, args });

/** The message of a workflow that failed immediately, without retries and without a failed workflow task. */
async function rejection(handle: WorkflowHandle): Promise<string> {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
  const { events } = await handle.fetchHistory();
  expect(events!.filter(({ workflowTaskFailedEventAttributes }) => workflowTaskFailedEventAttributes)).toEqual([]);
  expect([error.cause.nonRetryable, error.cause.type]).toEqual([true, 'RejectedPayload']);
  return error.cause.message;
}

/** The sealed input with which a workflow was started. */
async function inputOf(workflowId: string): Promise<Payload[]> {
  const { events } = await outsider.workflow.getHandle(workflowId).fetchHistory();
  return events![0]!.workflowExecutionStartedEventAttributes!.input!.payloads!;
}

/** A client that sends these bytes for all arguments. */
const sending = (payloads: Payload[]) =>
  new Client({
    connection: outsider.connection,
    namespace: outsider.options.namespace,
    dataConverter: { payloadCodecs: [{ encode: () => Promise.resolve(payloads), decode: (found) => Promise.resolve(found) }] },
  });

/** A client that ignores results, which are sealed. */
const unreading = () =>
  new Client({
    connection: outsider.connection,
    namespace: outsider.options.namespace,
    dataConverter: { payloadCodecs: [{ encode: (given) => Promise.resolve(given), decode: () => Promise.resolve([]) }] },
  });

const findApplied = () =>
  until(async () => {
    const query = `WorkflowType = 'mutationGroup' and ExecutionStatus = 'Completed' and DirectoryIds = '${directory.id}'`;
    for await (const { workflowId } of outsider.workflow.list({ query })) return workflowId;
    return undefined;
  });

it.each([
  ['mutationGroup', 'apply:', 'rollcall-mutations', () => [[mutationOf(newId(), 'mallory@example.com')]]],
  ['directoryDeletion', 'delete:', 'rollcall-deliveries', () => [directory.id]],
  ['directoryBatches', 'batches:', 'rollcall-deliveries', () => [directory.id]],
  ['eventDelivery', 'deliver:', 'rollcall-deliveries', () => [{ directoryId: directory.id, heartbeatTimeoutMs: 1 }]],
  ['eventProcessing', 'process-events:', 'rollcall-deliveries', () => [[directory.id]]],
  ['directorySync', 'sync:', 'rollcall-syncs', () => [{ directoryId: directory.id }]],
  ['bulkSync', 'start-syncs:', 'rollcall-syncs', () => [[directory.id]]],
  ['scheduledSync', 'sync-tick:', 'rollcall-syncs', () => [directory.id]],
])('ends %s immediately if its input is not sealed', async (type, prefix, taskQueue, args) => {
  const handle = await start(outsider, type, `${prefix}${randomUUID()}`, taskQueue, ...args());
  expect(await rejection(handle)).toContain('not sealed');
});

it('ends a workflow whose ID belongs to another type, and one of an unknown type', async () => {
  const sealed = await inputOf(`deliver:${directory.id}`);
  for (const type of ['directoryDeletion', 'scheduledSync', 'unknown']) {
    const handle = await start(sending(sealed), type, `apply:${randomUUID()}`, 'rollcall-deliveries', '');
    expect(await rejection(handle)).toMatch(new RegExp(` ${type} .* ID\\.$`));
  }
});

it('does not apply a sealed mutation under another ID, in another directory, or as another type of workflow', async () => {
  const applied = await findApplied();
  const sealed = await inputOf(applied);
  const elsewhere = await start(sending(sealed), 'mutationGroup', `apply:${newId()}`, 'rollcall-mutations', '');
  expect(await rejection(elsewhere)).toContain('another workflow');
  const asDeletion = await start(sending(sealed), 'directoryDeletion', applied, 'rollcall-deliveries', '');
  expect(await rejection(asDeletion)).toMatch(/ directoryDeletion .* ID\.$/);
  const other = await service.createDirectory();
  const deletion = await start(
    sending(await inputOf(`deliver:${directory.id}`)),
    'directoryDeletion',
    `delete:${other.id}`,
    'rollcall-deliveries',
    '',
  );
  expect(await rejection(deletion)).toContain('another workflow');
});

it('does not apply a mutation a second time when its workflow is started again', async () => {
  const applied = await findApplied();
  const events = () => service.db('events').where({ directory_id: directory.id }).count();
  const before = await events();
  const again = await start(sending(await inputOf(applied)), 'mutationGroup', applied, 'rollcall-mutations', '');
  await service.client.workflow.getHandle(applied, again.firstExecutionRunId).result();
  expect(await events()).toEqual(before);
});

it('does not apply a mutation whose outcome may be forgotten', async () => {
  const old = newId(Date.now() - 2 * 86_400_000 - 1_000);
  const handle = await start(service.client, 'mutationGroup', `apply:${old}`, 'rollcall-mutations', [mutationOf(old, 'old@example.com')]);
  const error = await handle.result().catch((reason: Error) => reason);
  expect((error as Error & { cause: Error }).cause.message).toContain('more than two days old');
});

it('ignores a signal and rejects an update and a query that carry something unsealed', async () => {
  const handle = outsider.workflow.getHandle(`deliver:${directory.id}`);
  await handle.signal('wake', { directoryId: 'another' });
  await handle.signal('retryNow', 'now');
  await expect(handle.executeUpdate('pause', { args: ['now'] })).rejects.toBeInstanceOf(WorkflowUpdateFailedError);
  await expect(handle.query('phase', 'now')).rejects.toThrow('not sealed');
  await until(() => service.logs.some(({ msg }) => msg === 'a signal was ignored'));
  expect((await handle.describe()).status.name).toBe('RUNNING');
});

it('changes and sends nothing for signals and updates without arguments, whether a retry is pending or delivery is paused', async () => {
  const failing = await startReceiver();
  failing.respond = (response) => void response.writeHead(500).end();
  try {
    const [waiting, paused] = await Promise.all([1, 2].map(() => service.createDirectory({ webhook_url: failing.url })));
    const stateOf = async ({ id }: TestDirectory) => (await service.api('GET', `/api/v1/directory-sync/${id}/delivery`)).body.data;
    await waiting!.scim('POST', '/Users', ada);
    await until(async () => (await stateOf(waiting!)).open?.failures === 1);
    await service.api('POST', `/api/v1/directory-sync/${paused!.id}/pause`);
    await paused!.scim('POST', '/Users', ada);
    const look = () => Promise.all([waiting!, paused!].map(stateOf));
    const before = await look();
    expect(before.map(({ status, backlog }) => [status, backlog])).toEqual([
      ['failing', 1],
      ['paused', 1],
    ]);
    for (const { id } of [waiting!, paused!]) {
      const handle = unreading().workflow.getHandle(`deliver:${id}`);
      const countLooks = async () => {
        const { events } = await handle.fetchHistory();
        return events!.filter(({ activityTaskCompletedEventAttributes }) => activityTaskCompletedEventAttributes).length;
      };
      for (const send of [
        () => handle.signal('wake'),
        () => handle.signal('retryNow'),
        () => handle.executeUpdate('resume'),
        // The renewal starts a new run.
        () => handle.signal('renew'),
      ]) {
        // It only waits until nothing is in flight.
        await handle.executeUpdate('pause');
        const { runId } = await handle.describe();
        const looks = await countLooks();
        await send();
        await until(async () =>
          (await handle.describe()).runId === runId ? (await countLooks()) > looks : (await countLooks()) > 0,
        ).catch(async (cause: Error) => {
          const { events } = await handle.fetchHistory();
          const shown = events!.slice(-20).map(({ eventType, eventTime }) => [eventType, Number(eventTime?.seconds)]);
          throw new Error(`${id} did not look after ${send.toString()}: ${JSON.stringify(shown)}`, { cause });
        });
      }
    }
    expect(await look()).toEqual(before);
    expect(failing.received).toHaveLength(1);
  } finally {
    await failing.close();
  }
});

/** `COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK` of Temporal's API. */
const scheduleActivityTask = 1;

it('runs no activity that a stranger requests as a worker', async () => {
  const { workflowService } = service.client.connection;
  const { namespace } = outsider.options;
  const sealed = await inputOf(`deliver:${directory.id}`);
  const taskQueue = { name: 'stranger' };
  const workflowId = `delete:${randomUUID()}`;
  await start(outsider, 'directoryDeletion', workflowId, taskQueue.name);
  const { taskToken } = await workflowService.pollWorkflowTaskQueue({ namespace, taskQueue });
  const asks = [
    ['deleteDirectoryData', sealed],
    [
      'applySubmittedMutations',
      [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify([mutationOf(newId(), 'x')])) }],
    ],
    ['deleteExpiredLogs', []],
  ] as const;
  await workflowService.respondWorkflowTaskCompleted({
    namespace,
    taskToken,
    commands: asks.map(([name, payloads]) => ({
      commandType: scheduleActivityTask,
      scheduleActivityTaskCommandAttributes: {
        activityId: name,
        activityType: { name },
        taskQueue: { name: 'rollcall-deliveries' },
        input: { payloads: [...payloads] },
        startToCloseTimeout: { seconds: 10 as never },
        heartbeatTimeout: { seconds: 10 as never },
      },
    })),
  });
  const failures = await until(async () => {
    const { events } = await outsider.workflow.getHandle(workflowId).fetchHistory();
    const failed = events!.flatMap(({ activityTaskFailedEventAttributes }) => activityTaskFailedEventAttributes ?? []);
    return failed.length === asks.length && failed;
  });
  for (const { failure } of failures)
    expect(failure!.applicationFailureInfo).toMatchObject({ type: 'RejectedPayload', nonRetryable: true });
  const messages = failures.map(({ failure }) => failure!.message);
  for (const part of ['not sealed', 'sealed for another', 'input belongs to another'])
    expect(messages).toContainEqual(expect.stringContaining(part));
});

it('still works after all this, and has changed and sent only what the identity provider requested', async () => {
  expect((await directory.scim('POST', '/Users', { userName: 'last@example.com' })).status).toBe(201);
  await until(() => receiver.received.length >= 2);
  expect(receiver.received.map(({ event }) => [event.event, event.data.raw.userName])).toEqual([
    ['user.created', 'ada@example.com'],
    ['user.created', 'last@example.com'],
  ]);
  expect(await service.db('users').where({ directory_id: directory.id })).toHaveLength(2);
  expect(await service.db('all_directories').whereNotNull('deleting_at')).toEqual([]);
});
