import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { createOperated, type Operated } from '../support/operate.ts';
import { fail, sequencesOf, startReceiver, take, type Receiver } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { randomRuns } from '../support/random-runs.ts';
import { retryOnce } from '../support/retry-schedules.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
let operator: Receiver;
beforeAll(async () => {
  operator = await startReceiver();
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryOnce, WEBHOOK_URL: operator.url, WEBHOOK_TIMEOUT_MS: '20000' });
});
afterAll(async () => {
  await service.stop();
  await operator.close();
});
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

/** The operator events of a directory, after the sweep has delivered them. */
async function operatorEvents({ directory }: Operated, count: number): Promise<string[]> {
  const ofDirectory = () =>
    operator.received
      .filter(({ event }) => event.data.id === directory.id && event.event.startsWith('dsync.webhook_'))
      .map(({ event }) => event.event);
  await service.client.workflow.execute('sweep', { workflowId: `sweep-${directory.id}`, taskQueue: 'rollcall-deliveries' });
  await until(() => ofDirectory().length >= count);
  return ofDirectory();
}

async function createDisabled(...names: string[]): Promise<Operated> {
  receiver.respond = fail;
  const operated = await createDirectory();
  await operated.push(...names);
  await operated.untilStatus('disabled');
  receiver.respond = take;
  return operated;
}

/** A directory with two events. The receiver responds to the first one when `acknowledge` is called. */
async function createSending() {
  const directory = await createDirectory();
  const held: ServerResponse[] = [];
  receiver.respond = (response) => void held.push(response);
  await directory.push('a', 'b');
  await until(() => held.length === 1);
  const acknowledge = () => {
    receiver.respond = take;
    held[0]!.end();
  };
  return { ...directory, acknowledge };
}

describe('pausing', () => {
  it('responds when nothing is in flight, and lasts until delivery is resumed', async () => {
    const { push, post, state, acknowledge } = await createSending();
    let hasResponded = false;
    const pausing = post('/pause').finally(() => (hasResponded = true));
    await until(async () => (await state()).status === 'paused');
    expect(hasResponded).toBe(false);
    acknowledge();
    const { status, body } = await pausing;
    expect({ status, data: body.data }).toMatchObject({
      status: 200,
      data: { status: 'paused', settled: true, acked_sequence: 1, backlog: 1 },
    });
    await push('c');
    expect((await post('/pause')).body.data).toMatchObject({ status: 'paused', settled: true, backlog: 2 });
    expect(sequencesOf(receiver.received)).toEqual([1]);
    const resumed = await post('/resume');
    expect([resumed.status, resumed.body.data.status, resumed.body.data.reason]).toEqual([200, 'active', null]);
    await until(() => receiver.received.length === 3);
    expect(sequencesOf(receiver.received)).toEqual([1, 2, 3]);
    await until(async () => (await state()).backlog === 0);
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ status: 'active' });
  });

  it('is required before pending events can be skipped: while delivery is active, skipping is rejected', async () => {
    const { post, get, acknowledge } = await createSending();
    const { status, body } = await post('/resume', { from: 'now' });
    expect([status, body.error.field, body.error.message]).toEqual([400, 'from', expect.stringContaining('pause it, and then resume it')]);
    expect((await post('/resume')).status).toBe(200);
    acknowledge();
    await until(() => receiver.received.length === 2);
    expect(await get('/deliveries?status=skipped')).toEqual([]);
  });

  it('does not change a disabled delivery', async () => {
    const { post } = await createDisabled('a');
    expect((await post('/pause')).body.data).toMatchObject({ status: 'disabled', settled: true });
    expect((await post('/resume')).status).toBe(400);
  });

  it('can be resumed with new events only: pending events are skipped and kept', async () => {
    const { push, post, get } = await createDirectory();
    await post('/pause');
    await push('a', 'b');
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ backlog: 0, acked_sequence: 2 });
    await push('c');
    await until(() => receiver.received.length === 1);
    expect(sequencesOf(receiver.received)).toEqual([3]);
    expect(await get('/deliveries?status=skipped')).toMatchObject([{ from_sequence: 1, to_sequence: 2, attempts: 0 }]);
  });

  it('ignores the result of an attempt that was in flight when all events were skipped', async () => {
    const { push, post, state, get } = await createDirectory();
    const held: ServerResponse[] = [];
    receiver.respond = (response) => void held.push(response);
    await push('a', 'b');
    await until(() => held.length === 1);
    const pausing = post('/pause');
    await until(async () => (await state()).status === 'paused');
    expect((await post('/resume', { from: 'now' })).status).toBe(200);
    receiver.respond = take;
    held[0]!.writeHead(500).end();
    await pausing;
    await push('c');
    await until(() => sequencesOf(receiver.received).at(-1) === 3);
    expect(sequencesOf(receiver.received)).toEqual([1, 3]);
    const [, , a] = await get('/deliveries');
    expect(a).toMatchObject({ status: 'skipped', attempts: 1, from_sequence: 1 });
    expect((await get(`/deliveries/${a.id}`)).attempt_log).toMatchObject([
      { outcome: 'aborted', error: expect.stringContaining('skipped') },
    ]);
  });
});

describe('resuming a disabled delivery', () => {
  it('requires from', async () => {
    const { post, state } = await createDisabled('a');
    for (const request of [undefined, {}]) {
      const { status, body } = await post('/resume', request);
      expect([status, body.error.field, body.error.message]).toEqual([400, 'from', expect.stringContaining('backlog')]);
    }
    expect((await state()).status).toBe('disabled');
  });

  it('delivers all pending events in order, with the same bytes', async () => {
    const operated = await createDisabled('a', 'b', 'c');
    const [first] = receiver.received;
    const before = receiver.received.length;
    expect((await operated.post('/resume', { from: 'backlog' })).body.data).toMatchObject({ status: 'active', first_failure_at: null });
    await operated.untilDone();
    const received = receiver.received.slice(before);
    expect(sequencesOf(received)).toEqual([1, 2, 3]);
    expect([received[0]!.text, received[0]!.headers['webhook-id']]).toEqual([first!.text, first!.headers['webhook-id']]);
    expect(await operatorEvents(operated, 2)).toEqual(['dsync.webhook_disabled', 'dsync.webhook_enabled']);
  });

  it('begins with the next event, and skips the pending ones', async () => {
    const { post, push, get } = await createDisabled('a', 'b', 'c');
    const before = receiver.received.length;
    expect((await post('/resume', { from: 'now' })).body.data).toMatchObject({ status: 'active', backlog: 0, open: null });
    await push('d');
    await until(() => receiver.received.length > before);
    expect(sequencesOf(receiver.received.slice(before))).toEqual([4]);
    expect(await get('/deliveries?status=skipped')).toMatchObject([
      { from_sequence: 2, to_sequence: 3, attempts: 0 },
      { from_sequence: 1, to_sequence: 1, attempts: 2 },
    ]);
  });

  it('happens when the webhook address changes, if the address caused the failure', async () => {
    const operated = await createDirectory();
    const wrong = 'http://10.0.0.1/';
    await service.db('webhook_endpoints').where({ directory_id: operated.directory.id }).update({ url: wrong });
    await operated.push('a', 'b');
    await operated.untilStatus('misconfigured');
    expect((await operated.post('/resume')).status).toBe(400);
    await operated.patch({ webhook_url: receiver.url });
    await operated.untilDone();
    expect(sequencesOf(receiver.received)).toEqual([1, 2]);
    expect(await operatorEvents(operated, 2)).toEqual(['dsync.webhook_disabled', 'dsync.webhook_enabled']);

    const disabled = await createDisabled('a');
    await disabled.patch({ webhook_url: receiver.url });
    expect((await disabled.state()).status).toBe('disabled');
    const paused = await createDirectory();
    await paused.post('/pause');
    await paused.patch({ webhook_url: receiver.url });
    expect((await paused.state()).status).toBe('paused');
  });
});

/** Each of them is a race: one that skips events, the next one not. */
const rounds = 2 * randomRuns(2);
const testTimeoutMs = 120_000 + rounds * 20_000;

it(
  'loses no event and keeps the order when writes, pauses and resumes are concurrent',
  async () => {
    const operated = await createDirectory();
    const { directory, push, post, state, get } = operated;
    let user = 0;
    for (let round = 0; round < rounds; round += 1) {
      const from = round % 2 === 0 ? 'now' : 'backlog';
      const names = () => Array.from({ length: 3 }, () => `racer${(user += 1)}`);
      await Promise.all([push(...names()), push(...names()), post('/pause'), push(...names())]);
      const [resumed] = await Promise.all([post('/resume', { from }), push(...names()), push(...names())]);
      expect(resumed.status).toBe(200);
      await Promise.all([post('/pause'), post('/resume', { from })]);
      await post('/resume', { from });
    }
    await until(async () => {
      const { status, backlog } = await state();
      return status === 'active' && backlog === 0;
    });
    const { last_sequence: last } = await state();
    expect(last).toBe(rounds * 15);
    const arrived = sequencesOf(receiver.received);
    const inOrder = [...new Set(arrived)];
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
    const skipped = (await get('/deliveries?status=skipped&limit=1000')).flatMap((one: { from_sequence: number; to_sequence: number }) =>
      Array.from({ length: one.to_sequence - one.from_sequence + 1 }, (_, index) => one.from_sequence + index),
    );
    expect(new Set(skipped).size).toBe(skipped.length);
    expect([...new Set([...arrived, ...skipped])].toSorted((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    expect(await service.db('webhook_attempts').where({ directory_id: directory.id, outcome: 'in_flight' })).toEqual([]);

    for (const mode of ['missing', 'failed']) {
      const { status, body } = await post('/replays', { mode });
      if (status === 202) await operated.untilReplay(body.data.id, 'done');
    }
    expect(new Set(sequencesOf(receiver.received)).size).toBe(last);
  },
  testTimeoutMs,
);
