import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { createOperated, root, type Operated } from '../support/operate.ts';
import { startReceiver, type Received, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let receiver: Receiver;
beforeAll(async () => {
  // One failure is tried again, the next one gives up.
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '0.05' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

const sequencesOf = (received: Received[]) => received.map(({ event }) => event.sequence);
const isReplay = ({ headers }: Received) => headers['webhook-replay'] !== undefined;

async function replayed({ post, untilReplay }: Operated, request: object) {
  const before = receiver.received.length;
  const { status, body } = await post('/replays', request);
  expect([status, body.error]).toEqual([202, null]);
  const done = await untilReplay(body.data.id, 'done');
  return { done, received: receiver.received.slice(before) };
}

/** A directory whose first events arrived, whose fourth failed, and whose others were passed over. */
async function createWithGap(): Promise<Operated> {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  receiver.answer = (response) => void response.writeHead(500).end();
  await operated.push('d', 'e', 'f');
  await operated.untilStatus('disabled');
  receiver.answer = (response) => void response.end();
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
  expect(received.map(({ event }) => event)).toEqual(first.slice(1, 3).map(({ event }) => event));
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

it('sends a single event again, by its id, its sequence or its delivery', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  const [, b] = receiver.received;
  for (const named of [{ event_id: b!.event.id }, { sequence: 2 }, { delivery_id: b!.headers['webhook-id'] }]) {
    const { received, done } = await replayed(operated, { mode: 'single', ...named });
    expect([received.map(({ event }) => event), done.total]).toEqual([[b!.event], 1]);
  }
});

it('sends what happened in a time again', async () => {
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

it('tells what failed from what was never tried, and brings each once', async () => {
  const operated = await createWithGap();
  expect(await operated.state()).toMatchObject({ status: 'enabled', acked_sequence: 6, backlog: 0, open: null });
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

it('brings of what was never tried only that of a time', async () => {
  const operated = await createWithGap();
  const times = await service.db('events').where({ directory_id: operated.directory.id }).orderBy('sequence').pluck('occurred_at');
  const { done } = await replayed(operated, { mode: 'missing', since: times[5].toISOString() });
  expect(done.ranges).toEqual([[6, 6]]);
  const none = await operated.post('/replays', { mode: 'missing', until: '2001-01-01T00:00:00Z' });
  expect([none.status, none.body.error.message]).toEqual([400, expect.stringContaining('nothing to replay')]);
});

it('keeps what was passed over though events are not logged, and lets go of what was delivered', async () => {
  const operated = await createWithGap();
  await operated.patch({ log_webhook_events: false });
  await operated.push('g');
  await operated.untilDone();
  const content = () =>
    service.db('events').where({ directory_id: operated.directory.id }).whereNotNull('data').orderBy('sequence').pluck('sequence');
  await until(async () => JSON.stringify(await content()) === '[4,5,6]');
  const gone = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 3 });
  expect([gone.status, gone.body.error.message]).toEqual([400, expect.stringContaining('log_webhook_events')]);
  expect((await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 7, dry_run: true })).body.data.total).toBe(3);
  const { received, done } = await replayed(operated, { mode: 'missing' });
  expect([sequencesOf(received), done.done]).toEqual([[5, 6], 2]);
  await until(async () => JSON.stringify(await content()) === '[4]');
});

it('runs several one after the other, and lets live events go first', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b', 'c');
  await operated.untilDone();
  const held: ServerResponse[] = [];
  receiver.answer = (response) => (held.length === 0 ? void held.push(response) : void response.end());
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
  it('ends a replay whose delivery is under way, and nothing of it comes after that', async () => {
    const operated = await createDirectory();
    await operated.push('a', 'b', 'c');
    await operated.untilDone();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 3 });
    await until(() => held.length === 1);
    const canceled = await operated.post(`/replays/${body.data.id}/cancel`);
    expect([canceled.status, canceled.body.data.status]).toEqual([200, 'canceled']);
    receiver.answer = (response) => void response.end();
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

  it('takes away a delivery that fails, and its failure raises nothing again', async () => {
    const operated = await createDirectory();
    await operated.push('a', 'b');
    await operated.untilDone();
    const held: ServerResponse[] = [];
    receiver.answer = (response) => void held.push(response);
    const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
    await until(() => held.length === 1);
    await operated.post(`/replays/${body.data.id}/cancel`);
    receiver.answer = (response) => void response.end();
    // Gone for good: what would end a replay that runs.
    held[0]!.writeHead(410).end();
    await until(async () => (await operated.get('/deliveries?kind=replay'))[0].attempts === 1);
    await replayed(operated, { mode: 'single', sequence: 2 });
    expect(await operated.get(`/replays/${body.data.id}`)).toMatchObject({ status: 'canceled', done: 0 });
    expect(await operated.get('/deliveries?status=canceled')).toMatchObject([{ from_sequence: 1, next_attempt_at: null }]);
  });

  it('refuses one that has ended', async () => {
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
  receiver.answer = (response) => void response.writeHead(500).end();
  const { body } = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
  const failed = await operated.untilReplay(body.data.id, 'failed');
  expect(failed).toMatchObject({ done: 0, reason: expect.stringContaining('exhausted') });
  expect(await operated.state()).toMatchObject({ status: 'enabled' });
  expect((await operated.post('/replays', { mode: 'failed', dry_run: true })).body.data.total).toBe(1);
  receiver.answer = (response) => void response.end();
  const [delivery] = await operated.get('/deliveries?status=exhausted');
  expect((await operated.post(`/deliveries/${delivery.id}/retry`)).body.data).toMatchObject({
    status: expect.stringMatching(/pending|delivered/),
  });
  expect(await operated.untilReplay(body.data.id, 'done')).toMatchObject({ done: 2, reason: null });
});

describe('bad input', () => {
  let operated: Operated;
  let eventId: string;
  let deliveryId: string;
  beforeEach(async () => {
    operated = await createDirectory();
    await operated.push('a', 'b');
    await operated.untilDone();
    eventId = receiver.received[1]!.event.id;
    deliveryId = receiver.received[1]!.headers['webhook-id'] as string;
  });

  it('is told by the field at fault', async () => {
    const wrong: [object, string | undefined, string][] = [
      [{}, 'mode', 'mode is required.'],
      [{ mode: 'all' }, 'mode', 'mode must be one of single, failed, missing, range.'],
      [{ mode: 'single' }, 'mode', 'event_id, sequence, delivery_id'],
      [{ mode: 'single', sequence: 1, event_id: eventId }, 'sequence', 'together with event_id'],
      [{ mode: 'single', sequence: 0 }, 'sequence', 'at least 1'],
      [{ mode: 'single', sequence: '1' }, 'sequence', 'whole number'],
      [{ mode: 'single', sequence: 3 }, 'sequence', 'beyond the last event'],
      [{ mode: 'range' }, 'mode', 'from_sequence and to_sequence'],
      [{ mode: 'range', from_sequence: 1 }, 'to_sequence', 'is required'],
      [{ mode: 'range', to_sequence: 1 }, 'from_sequence', 'is required'],
      [{ mode: 'range', from_sequence: 2, to_sequence: 1 }, 'to_sequence', 'less than from_sequence'],
      [{ mode: 'range', from_sequence: 1, to_sequence: 9 }, 'to_sequence', 'beyond the last event'],
      [{ mode: 'range', from_sequence: 1e30, to_sequence: 1e30 }, 'from_sequence', 'from_sequence'],
      [{ mode: 'range', from_sequence: 1, to_sequence: 2, to: '2026-01-01T00:00:00Z' }, 'to', 'together with sequences'],
      [{ mode: 'range', from: '2026-01-01T00:00:00Z' }, 'to', 'is required'],
      [{ mode: 'range', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to', 'before from'],
      [{ mode: 'range', from: 'yesterday', to: 'today' }, 'from', 'a time like'],
      [{ mode: 'failed', since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'until', 'before since'],
      [{ mode: 'failed', from_sequence: 1 }, 'from_sequence', 'does not belong'],
      [{ mode: 'failed', sinse: '2026-01-02T00:00:00Z' }, 'sinse', 'Did you mean since?'],
      [{ mode: 'failed', dry_run: 'yes' }, 'dry_run', 'true or false'],
      [{ mode: 'failed' }, undefined, 'nothing to replay'],
      [{ mode: 'missing' }, undefined, 'nothing to replay'],
    ];
    for (const [request, field, message] of wrong) {
      const { status, body } = await operated.post('/replays', request);
      expect([request, status, body.data, body.error?.field]).toEqual([request, 400, null, field]);
      expect(body.error.message).toContain(message);
      expect(body.error.message).toMatch(/[.?]$/);
    }
    expect(await operated.get('/replays')).toEqual([]);
  });

  it('is a 404 where an id leads nowhere, also into another directory', async () => {
    const other = await createDirectory();
    await other.push('x');
    await other.untilDone();
    const nowhere = '01a1fd46-beef-7978-b244-a1855f394770';
    for (const request of [
      { mode: 'single', event_id: nowhere },
      { mode: 'single', event_id: 'x' },
      { mode: 'single', delivery_id: 'x' },
    ])
      expect([request, (await operated.post('/replays', request)).status]).toEqual([request, 404]);
    expect((await other.post('/replays', { mode: 'single', event_id: eventId })).status).toBe(404);
    expect((await other.post('/replays', { mode: 'single', delivery_id: deliveryId })).status).toBe(404);
    const { done } = await replayed(operated, { mode: 'single', sequence: 1 });
    const { id } = operated.directory;
    for (const [method, path] of [
      ['GET', `${other.directory.id}/replays/${done.id}`],
      ['POST', `${other.directory.id}/replays/${done.id}/cancel`],
      ['GET', `${id}/replays/${nowhere}`],
      ['GET', `${id}/replays/x`],
      ['POST', `${id}/replays/x/cancel`],
      ['GET', `replays/${nowhere}`],
      ['GET', `replays/%00`],
      ['GET', `${nowhere}/replays`],
      ['GET', `x/replays`],
    ] as const) {
      const { status, body } = await service.api(method, `${root}/${path}`);
      expect([path, status, body.error?.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await service.api('POST', `${root}/${nowhere}/replays`, { mode: 'failed' })).status).toBe(404);
    expect((await fetch(`${service.baseUrl}${root}/${id}/replays`)).status).toBe(401);
  });

  it('is a range that is delivered later anyway, or was kept long enough', async () => {
    receiver.answer = (response) => void response.writeHead(500).end();
    await operated.push('c');
    await operated.untilStatus('disabled');
    const later = await operated.post('/replays', { mode: 'range', from_sequence: 3, to_sequence: 3 });
    expect([later.status, later.body.error.field, later.body.error.message]).toEqual([
      400,
      'from_sequence',
      expect.stringContaining('not delivered yet'),
    ]);
    expect((await operated.post('/replays', { mode: 'range', from_sequence: 2, to_sequence: 3, dry_run: true })).body.data.total).toBe(1);
    const { id } = operated.directory;
    await service.db('events').where({ directory_id: id, sequence: 1 }).delete();
    await service.db('directories').where({ id }).update({ swept_sequence: 1 });
    const swept = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
    expect([swept.status, swept.body.error.field, swept.body.error.message]).toEqual([
      400,
      'from_sequence',
      expect.stringContaining('2 or more'),
    ]);
    const single = await operated.post('/replays', { mode: 'single', sequence: 1 });
    expect([single.status, single.body.error.message]).toEqual([400, expect.stringContaining('kept long enough')]);
  });

  it('is a directory without a webhook', async () => {
    await operated.patch({ webhook_url: '' });
    const { status, body } = await operated.post('/replays', { mode: 'single', sequence: 1 });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('no webhook')]);
  });
});
