import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReceiver } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryEvery(0.05), WEBHOOK_TIMEOUT_MS: '5000' });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const push = async (directory: TestDirectory, ...names: string[]) => {
  for (const userName of names) expect((await directory.scim('POST', '/Users', { userName })).status).toBe(201);
};
const namesReceived = () => receiver.received.map(({ event }) => event.data.raw.userName).join('');
const attemptsOf = ({ id }: TestDirectory) =>
  service
    .db('webhook_attempts as a')
    .join('webhook_batches as b', 'b.id', 'a.batch_id')
    .where({ 'a.directory_id': id })
    .orderBy(['b.from_sequence', 'a.number'])
    .select('a.*', 'b.from_sequence');

it('delivers in order, one event at a time, and records each attempt', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a', 'b', 'c', 'd', 'e');
  await until(() => receiver.received.length === 5);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(5);
  await until(async () => (await attemptsOf(directory)).filter(({ outcome }) => outcome === 'success').length === 5);
  expect((await attemptsOf(directory)).map(({ number, status_code: status }) => [number, status])).toEqual(
    Array.from({ length: 5 }, () => [1, 200]),
  );
});

it('sends the same bytes under the same ID until they are acknowledged, and nothing else before', async () => {
  receiver.respond = (response, _request, count) => void response.writeHead(count <= 3 ? 500 : 200).end();
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a', 'b');
  await until(() => receiver.received.length === 5);
  expect(namesReceived()).toBe('aaaab');
  const first = receiver.received.slice(0, 4);
  expect(new Set(first.map(({ text }) => text)).size).toBe(1);
  expect(new Set(first.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  await until(async () => (await attemptsOf(directory)).at(-1)?.outcome === 'success');
  expect((await attemptsOf(directory)).map(({ from_sequence: sequence, number, outcome }) => [sequence, number, outcome])).toEqual([
    [1, 1, 'http_error'],
    [1, 2, 'http_error'],
    [1, 3, 'http_error'],
    [1, 4, 'success'],
    [2, 1, 'success'],
  ]);
});

it('counts 204 as a success, and continues after a timeout and a reset', async () => {
  receiver.respond = (response, _request, count) => {
    if (count === 1) response.destroy();
    else if (count > 2) response.writeHead(204).end();
  };
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a');
  await until(async () => (await attemptsOf(directory)).at(-1)?.outcome === 'success');
  expect((await attemptsOf(directory)).map(({ outcome }) => outcome)).toEqual(['connect', 'timeout', 'success']);
});

describe('an event', () => {
  it('is not lost while there is no address: it arrives, in order, once there is one', async () => {
    const directory = await service.createDirectory();
    await push(directory, 'a', 'b', 'c');
    await service.api('PATCH', `/api/v1/directory-sync/${directory.id}`, { webhook_url: receiver.url });
    await until(() => namesReceived() === 'abc');
    await push(directory, 'd');
    await until(() => namesReceived() === 'abcd');
  });

  it('is not lost while the address is wrong: a new one is tried immediately, with the same ID and bytes', async () => {
    const wrong = await startReceiver();
    wrong.respond = (response) => void response.writeHead(404).end();
    const slow = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600' });
    try {
      const directory = await slow.createDirectory({ webhook_url: wrong.url });
      await push(directory, 'a', 'b');
      await until(() => wrong.received.length === 1);
      await slow.api('PATCH', `/api/v1/directory-sync/${directory.id}`, { webhook_url: receiver.url });
      await until(() => namesReceived() === 'ab');
      expect(receiver.received[0]!.text).toBe(wrong.received[0]!.text);
      expect(receiver.received[0]!.headers['webhook-id']).toBe(wrong.received[0]!.headers['webhook-id']);
    } finally {
      await slow.stop();
      await wrong.close();
    }
  });
});

it('delivers every event although some pushes are rejected or change nothing meanwhile', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  for (const userName of ['a', 'b', 'c', 'd']) {
    const { body } = await directory.scim('POST', '/Users', { userName });
    expect((await directory.scim('POST', '/Users', { userName })).status).toBe(409);
    await directory.scim('PATCH', `/Users/${body.id}`, { Operations: [{ op: 'replace', value: { active: true } }] });
  }
  await until(() => receiver.received.length === 4);
  expect(receiver.received.map(({ event }) => event.sequence)).toEqual([1, 2, 3, 4]);
});

it('continues for others while one endpoint hangs', async () => {
  const hanging = await startReceiver();
  hanging.respond = () => undefined;
  try {
    const stuck = await service.createDirectory({ webhook_url: hanging.url });
    await push(stuck, 'x');
    await until(() => hanging.received.length > 0);
    const directory = await service.createDirectory({ webhook_url: receiver.url });
    await push(directory, 'a', 'b');
    await until(() => namesReceived() === 'ab');
  } finally {
    await hanging.close();
  }
});

it('ends the delivery workflow of a deleted directory', async () => {
  const directory = await service.createDirectory({ webhook_url: receiver.url });
  await push(directory, 'a');
  await until(() => namesReceived() === 'a');
  await service.api('DELETE', `/api/v1/directory-sync/${directory.id}`);
  await until(async () => (await service.client.workflow.getHandle(`deliver:${directory.id}`).describe()).status.name === 'COMPLETED');
});

it('sends nothing to Temporal while an endpoint fails: many changes, one wake', async () => {
  const slow = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600' });
  receiver.respond = (response) => void response.writeHead(500).end();
  try {
    const directory = await slow.createDirectory({ webhook_url: receiver.url });
    await push(directory, 'a');
    await until(() => receiver.received.length === 1);
    await push(directory, ...Array.from({ length: 20 }, (_, index) => `user${index}`));
    const { events } = await slow.client.workflow.getHandle(`deliver:${directory.id}`).fetchHistory();
    const signals = events!.filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal).length;
    expect(signals).toBeLessThanOrEqual(5);
    expect(receiver.received).toHaveLength(1);
  } finally {
    await slow.stop();
  }
});
