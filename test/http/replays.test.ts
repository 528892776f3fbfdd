import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createOperated, root, type Operated } from '../support/operate.ts';
import { fail, sequencesOf, take, type Received } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { retryOnce } from '../support/retry-schedules.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryOnce });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);
const isReplay = ({ headers }: Received) => headers['webhook-replay'] !== undefined;

async function replayed({ replay }: Operated, request: object) {
  const before = receiver.received.length;
  const done = await replay(request);
  return { done, received: receiver.received.slice(before) };
}

/** A directory with three delivered events, a failed one, and skipped ones. */
async function createWithGap(): Promise<Operated> {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  receiver.respond = fail;
  await operated.push('d', 'e', 'f');
  await operated.untilStatus('disabled');
  receiver.respond = take;
  expect((await operated.post('/resume', { from: 'now' })).status).toBe(200);
  return operated;
}

it('sends a range again: the same events under a new webhook-id, marked and signed', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c', 'd');
  await operated.untilDone();
  const first = [...receiver.received];
  const dry = await operated.post('/replays', { mode: 'range', from_sequence: 2, to_sequence: 3, dry_run: true });
  expect({ status: dry.status, data: dry.body.data }).toEqual({ status: 200, data: { dry_run: true, total: 2 } });
  expect(await operated.get('/replays')).toEqual([]);

  const { done, received } = await replayed(operated, { mode: 'range', from_sequence: 2, to_sequence: 3 });
  expect(done).toEqual({
    id: expect.any(String),
    directory_id: operated.directory.id,
    mode: 'range',
    ranges: [[2, 3]],
    status: 'done',
    reason: null,
    total: 2,
    done: 2,
    created_at: expect.any(String),
    finished_at: expect.any(String),
  });
  expect(received.map(({ event }) => event)).toEqual(first.slice(1, 3).map(({ event }) => ({ ...event, reason: 'replay' })));
  for (const { headers, text } of received) {
    expect(headers['webhook-replay']).toBe(done.id);
    new Webhook(operated.directory.webhookSecret).verify(text, headers as Record<string, string>);
  }
  expect(new Set([...first, ...received].map(({ headers }) => headers['webhook-id'])).size).toBe(6);
  expect((await service.api('GET', `${root}/replays/${done.id}`)).body.data).toEqual(done);
  expect(await operated.get('/replays')).toEqual([done]);
  const [delivery] = await operated.get('/deliveries?kind=replay');
  expect(delivery).toMatchObject({ replay_id: done.id, status: 'delivered' });
  expect((await operated.get(`/deliveries/${delivery.id}`)).attempt_log).toMatchObject([{ trigger: 'replay', outcome: 'success' }]);
  expect(await operated.state()).toMatchObject({ acked_sequence: 4, backlog: 0 });
});

it('sends a single event again, by its ID, its sequence or its delivery', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  const [, b] = receiver.received;
  for (const named of [{ event_id: b!.event.id }, { sequence: 2 }, { delivery_id: b!.headers['webhook-id'] }]) {
    const { received, done } = await replayed(operated, { mode: 'single', ...named });
    expect([received.map(({ event }) => event), done.total]).toEqual([[{ ...b!.event, reason: 'replay' }], 1]);
  }
});

it('sends the events of a time range again', async () => {
  const operated = await createDirectory();
  await operated.push('a');
  await until(() => Date.now() > Date.parse(receiver.received[0]?.event.occurred_at) + 20);
  const from = new Date().toISOString();
  await operated.push('b', 'c');
  await operated.untilDone();
  const { received } = await replayed(operated, { mode: 'range', from, to: '2999-01-01T00:00:00+02:00' });
  expect(sequencesOf(received)).toEqual([2, 3]);
  const past = await operated.post('/replays', { mode: 'range', from: '2001-01-01T00:00:00Z', to: '2002-01-01T00:00:00Z' });
  expect([past.status, past.body.error.field]).toEqual([400, 'from']);
});

it('distinguishes failed events from those without an attempt, and sends each once', async () => {
  const operated = await createWithGap();
  expect(await operated.state()).toMatchObject({ status: 'active', acked_sequence: 6, backlog: 0, open: null });
  expect(await operated.get('/deliveries?status=skipped')).toMatchObject([
    { from_sequence: 5, to_sequence: 6, event_count: 2, attempts: 0, bytes: 0, sha256: null },
    { from_sequence: 4, to_sequence: 4, attempts: 2 },
  ]);
  const missing = await replayed(operated, { mode: 'missing' });
  expect([sequencesOf(missing.received), missing.done.ranges]).toEqual([[5, 6], [[5, 6]]]);
  const failed = await replayed(operated, { mode: 'failed' });
  expect([sequencesOf(failed.received), failed.done.ranges]).toEqual([[4], [[4, 4]]]);
  for (const mode of ['missing', 'failed']) {
    const again = await operated.post('/replays', { mode });
    expect([again.status, again.body.error.message]).toEqual([400, expect.stringContaining('nothing to replay')]);
  }
  await operated.push('g');
  await until(() => sequencesOf(receiver.received).at(-1) === 7);
});

it('limits events without an attempt to a time range', async () => {
  const operated = await createWithGap();
  const times = await service.db('events').where({ directory_id: operated.directory.id }).orderBy('sequence').pluck('occurred_at');
  const { done } = await replayed(operated, { mode: 'missing', since: times[5].toISOString() });
  expect(done.ranges).toEqual([[6, 6]]);
  const none = await operated.post('/replays', { mode: 'missing', until: '2001-01-01T00:00:00Z' });
  expect([none.status, none.body.error.message]).toEqual([400, expect.stringContaining('nothing to replay')]);
});

it('keeps skipped events without logging, and deletes delivered ones', async () => {
  const operated = await createWithGap();
  await operated.patch({ log_webhook_events: false });
  await operated.push('g');
  await operated.untilDone();
  const content = () =>
    service.db('events').where({ directory_id: operated.directory.id }).whereNotNull('data').orderBy('sequence').pluck('sequence');
  await until(async () => JSON.stringify(await content()) === '[4,5,6]');
  const gone = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 3 });
  const wayOut = /log_webhook_events/;
  expect([gone.status, gone.body.error.message]).toEqual([400, expect.stringMatching(wayOut)]);
  expect((await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 7, dry_run: true })).body.data.total).toBe(3);
  const { received, done } = await replayed(operated, { mode: 'missing' });
  expect([sequencesOf(received), done.done]).toEqual([[5, 6], 2]);
  await until(async () => JSON.stringify(await content()) === '[4]');
  await operated.patch({ log_webhook_events: true });
  const past = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 3 });
  expect([past.status, past.body.error.code]).toEqual([400, 'invalid_request']);
});

it('runs several one after the other, and lets live events go first', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  const held: ServerResponse[] = [];
  receiver.respond = (response) => (held.length === 0 ? void held.push(response) : void response.end());
  const before = receiver.received.length;
  const replays: string[] = [];
  for (let round = 0; round < 2; round += 1)
    replays.push((await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 })).body.data.id);
  await until(() => held.length === 1);
  expect(await operated.state()).toMatchObject({ replay: { id: replays[0], mode: 'range', total: 2, done: 0 } });
  await operated.push('d');
  held[0]!.end();
  for (const id of replays) await operated.untilReplay(id, 'done');
  const received = receiver.received.slice(before);
  expect(sequencesOf(received)).toEqual([1, 4, 2, 1, 2]);
  expect(received.filter(isReplay).map(({ headers }) => headers['webhook-replay'])).toEqual([
    replays[0],
    replays[0],
    replays[1],
    replays[1],
  ]);
});

describe('canceling', () => {
  it('ends a replay whose delivery is in flight, and sends nothing after it', async () => {
    const operated = await createDirectory();
    await operated.push('a', 'b', 'c');
    await operated.untilDone();
    const held: ServerResponse[] = [];
    receiver.respond = (response) => void held.push(response);
    const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 3 });
    await until(() => held.length === 1);
    const canceled = await operated.post(`/replays/${body.data.id}/cancel`);
    expect([canceled.status, canceled.body.data.status]).toEqual([200, 'canceled']);
    receiver.respond = take;
    held[0]!.end();
    await operated.push('d');
    await until(() => sequencesOf(receiver.received).at(-1) === 4);
    await operated.untilDone();
    expect(sequencesOf(receiver.received.filter(isReplay))).toEqual([1]);
    expect(await operated.get(`/replays/${body.data.id}`)).toMatchObject({ status: 'canceled', finished_at: expect.any(String) });
    expect(await operated.get('/deliveries?status=pending')).toEqual([]);
    expect((await operated.post(`/replays/${body.data.id}/cancel`)).body.data.status).toBe('canceled');
    await replayed(operated, { mode: 'single', sequence: 3 });
  });

  it('ends a failing delivery, and its failure schedules nothing', async () => {
    const operated = await createDirectory();
    await operated.push('a', 'b');
    await operated.untilDone();
    const held: ServerResponse[] = [];
    receiver.respond = (response) => void held.push(response);
    const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
    await until(() => held.length === 1);
    await operated.post(`/replays/${body.data.id}/cancel`);
    receiver.respond = take;
    // A 410 would fail a running replay.
    held[0]!.writeHead(410).end();
    await until(async () => (await operated.get('/deliveries?kind=replay'))[0].attempts === 1);
    await replayed(operated, { mode: 'single', sequence: 2 });
    expect(await operated.get(`/replays/${body.data.id}`)).toMatchObject({ status: 'canceled', done: 0 });
    expect(await operated.get('/deliveries?status=canceled')).toMatchObject([{ from_sequence: 1, next_attempt_at: null }]);
  });

  it('rejects a replay that has ended', async () => {
    const operated = await createDirectory();
    await operated.push('a');
    await operated.untilDone();
    const { done } = await replayed(operated, { mode: 'single', sequence: 1 });
    const { status, body } = await operated.post(`/replays/${done.id}/cancel`);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('ended already')]);
  });
});

it('says why a replay failed; its delivery can be tried again, and the replay goes on', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b');
  await operated.untilDone();
  receiver.respond = fail;
  const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
  const failed = await operated.untilReplay(body.data.id, 'failed');
  expect(failed).toMatchObject({ done: 0, reason: expect.stringContaining('exhausted') });
  expect(await operated.state()).toMatchObject({ status: 'active' });
  expect((await operated.post('/replays', { mode: 'failed', dry_run: true })).body.data.total).toBe(1);
  receiver.respond = take;
  const [delivery] = await operated.get('/deliveries?status=exhausted');
  expect((await operated.post(`/deliveries/${delivery.id}/retry`)).body.data).toMatchObject({
    status: expect.stringMatching(/pending|delivered/),
  });
  expect(await operated.untilReplay(body.data.id, 'done')).toMatchObject({ done: 2, reason: null });
});
