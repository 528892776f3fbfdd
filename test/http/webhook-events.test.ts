import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createOperated, operate, root } from '../support/operate.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600' });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);
const events = (query: string) => service.api('GET', `${root}/events?${query}`);

it('lists deliveries in the form of Polis, newest first', async () => {
  receiver.respond = (response, _request, count) => void response.writeHead(count === 1 ? 204 : 403).end();
  const { directory, push } = await createDirectory();
  await push('a', 'b');
  const { data } = await until(async () => {
    const { body } = await events(`directoryId=${directory.id}`);
    return body.data.length === 2 && body;
  });
  const [b, a] = receiver.received.toReversed();
  const shown = (received: typeof a, status: number, delivered: boolean) => ({
    id: received!.headers['webhook-id'],
    webhook_endpoint: receiver.url,
    created_at: expect.stringMatching(/^20..-..-..T..:..:..\....Z$/),
    status_code: status,
    delivered,
    payload: received!.event,
  });
  expect(data).toEqual([shown(b, 403, false), shown(a, 204, true)]);
  expect((await service.api('GET', `/api/v1/dsync/events/${data[1].id}?directoryId=${directory.id}`)).body).toEqual({
    data: data[1],
    error: null,
  });
  expect((await events(`directoryId=${directory.id}&pageOffset=1&pageLimit=1`)).body.data).toEqual([data[1]]);
  expect((await events(`directoryId=${directory.id}&offset=0&limit=1`)).body.data).toEqual([data[0]]);
});

it('shows 500 when there was no response, as Polis does', async () => {
  receiver.respond = (response) => void response.destroy();
  const { directory, push } = await createDirectory();
  await push('a');
  const [event] = await until(async () => {
    const { body } = await events(`directoryId=${directory.id}`);
    return body.data.length === 1 && body.data;
  });
  expect(event).toMatchObject({ status_code: 500, delivered: false, payload: { event: 'user.created' } });
});

it('lists those of all directories of a tenant and product, and no others', async () => {
  const owner = { tenant: 'several', product: 'app' };
  const [one, two, stranger] = await Promise.all([
    createDirectory(owner),
    createDirectory(owner),
    createDirectory({ tenant: 'stranger', product: 'app' }),
  ]);
  for (const { push, untilDone } of [one, two, stranger]) {
    await push('a');
    await untilDone();
  }
  const { data } = (await events('tenant=several&product=app')).body;
  expect(data.map(({ payload }: { payload: { directory_id: string } }) => payload.directory_id)).toEqual([
    two.directory.id,
    one.directory.id,
  ]);
  const theirs = (await events('tenant=stranger&product=app')).body.data[0];
  const { status, body } = await service.api('GET', `${root}/events/${theirs.id}?tenant=several&product=app`);
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

it('lists nothing for a directory without logging, and nothing that is not sent yet', async () => {
  const silent = await createDirectory({ log_webhook_events: false });
  await silent.push('a');
  await silent.untilDone();
  expect((await events(`directoryId=${silent.directory.id}`)).body.data).toEqual([]);
  receiver.respond = () => undefined;
  const { directory, push } = await createDirectory();
  await push('b');
  await until(() => receiver.received.length === 2);
  expect((await events(`directoryId=${directory.id}`)).body.data).toEqual([]);
});

it('deletes final deliveries, and keeps pending and exhausted ones', async () => {
  receiver.respond = (response, _request, count) => void response.writeHead(count <= 4 ? 200 : 500).end();
  const other = await createDirectory();
  await other.push('x');
  await other.untilDone();
  const { directory, push, state, get } = await createDirectory();
  await push('a', 'b', 'c', 'd');
  await until(async () => (await state()).open?.failures === 1);
  expect((await events(`directory_id=${directory.id}`)).body.data).toHaveLength(4);
  const removed = await service.api('DELETE', `${root}/events?directory_id=${directory.id}`);
  expect({ status: removed.status, body: removed.body }).toEqual({ status: 200, body: { data: null, error: null } });
  expect((await events(`directoryId=${directory.id}`)).body.data).toMatchObject([{ payload: { sequence: 4 }, delivered: false }]);
  expect(await get('/deliveries')).toMatchObject([{ status: 'pending', from_sequence: 4 }]);
  expect((await events(`directoryId=${other.directory.id}`)).body.data).toHaveLength(1);
});

it('rejects a page that needs too much memory, and suggests a smaller one', async () => {
  const { directory, push, untilDone } = await createDirectory();
  await push('a', 'b', 'c');
  await untilDone();
  await service.db('webhook_batches').where({ directory_id: directory.id }).update({ bytes: 9_000_000 });
  const { status, body } = await events(`directoryId=${directory.id}`);
  expect([status, body.error]).toEqual([400, expect.objectContaining({ field: 'limit', message: expect.stringContaining('2') })]);
  expect((await events(`directoryId=${directory.id}&pageLimit=2`)).body.data).toHaveLength(2);
});

it('has an array as payload in batch mode', async () => {
  const batching = await startTestService({ DSYNC_WEBHOOK_BATCH_SIZE: '10' });
  try {
    const directory = await batching.createDirectory({ webhook_url: receiver.url, log_webhook_events: true });
    const { push, untilDone } = operate(batching, directory);
    await push('a', 'b', 'c');
    await batching.api('POST', '/api/v1/dsync/cron/process-events');
    await untilDone();
    const { data } = (await batching.api('GET', `${root}/events?directoryId=${directory.id}`)).body;
    expect(data.map(({ payload }: { payload: { sequence: number }[] }) => payload.map(({ sequence }) => sequence))).toEqual([[1, 2, 3]]);
  } finally {
    await batching.stop();
  }
});

it.each([
  ['GET', '/events', 400, 'invalid_request'],
  ['GET', '/events?tenant=acme', 400, 'invalid_request'],
  ['GET', '/events?directoryId=nothing', 404, 'not_found'],
  ['GET', '/events?directoryId=01a1fd46-beef-7978-b244-a1855f394770', 404, 'not_found'],
  ['GET', '/events?directoryId=%00', 400, 'invalid_request'],
  ['GET', '/events/x?directoryId=nothing', 404, 'not_found'],
  ['GET', '/events/x', 400, 'invalid_request'],
  ['DELETE', '/events', 400, 'invalid_request'],
  ['DELETE', '/events?directoryId=nothing', 404, 'not_found'],
  ['DELETE', '/events?directory_id=nothing', 404, 'not_found'],
  ['DELETE', '/events?directory_id=nothing&directoryId=other', 400, 'invalid_request'],
  ['POST', '/events', 405, 'method_not_allowed'],
])('responds to %s %s with %i', async (method, path, expected, code) => {
  const { status, body } = await service.api(method, `${root}${path}`);
  expect([status, body.data, body.error.code]).toEqual([expected, null, code]);
  expect(body.error.message).toMatch(/\.$/);
});
