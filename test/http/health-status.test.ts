import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { createOperated, root, type Operated } from '../support/operate.ts';
import type { Received } from '../support/receiver.ts';
import { retryEvery } from '../support/retry-schedules.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';

/** Requests are recorded once an hour, so the health cannot depend on records. */
let service: TestService;
beforeAll(async () => {
  service = await startTestService(
    { WEBHOOK_RETRY_SCHEDULE: retryEvery(3_600), DIRECTORY_STALE_AFTER: '10d' },
    { recordEveryMs: 3_600_000 },
  );
});
afterAll(() => service.stop());
const receiver = useReceiver();
const unavailable = (response: Parameters<typeof receiver.respond>[0]) => void response.writeHead(503).end();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);
const healthOf = async ({ get }: Operated) => (await get('')).health;
const untilHealth = (operated: Operated, status: string) =>
  until(async () => {
    const health = await healthOf(operated);
    return health.status === status && health;
  });
const idOf = ({ headers }: Received) => headers['webhook-id'] as string;
const list = async (query: string, by: Pick<TestService, 'api'> = service) =>
  (await by.api('GET', `${root}/all?limit=1000&${query}`)).body.data as { id: string; health: { status: string; advice: string } }[];
const idsOf = (found: { id: string }[]) => found.map(({ id }) => id).sort();
const overviewOf = async (by: Pick<TestService, 'api'>) => (await by.api('GET', '/api/v1/overview')).body.data;

it('waits for the first push, and is healthy as soon as its response has arrived', async () => {
  const operated = await createDirectory({ webhook_url: '' });
  expect(await healthOf(operated)).toMatchObject({
    status: 'waiting_for_first_push',
    advice: expect.stringContaining('identity provider'),
    last_push_at: null,
  });
  await operated.push('ada');
  expect(await healthOf(operated)).toMatchObject({ status: 'healthy', last_push_at: null, users: 1 });
});

it('says how a delivery fails, and that it has recovered', async () => {
  const operated = await createDirectory();
  receiver.respond = unavailable;
  await operated.push('ada');
  const { delivery, advice } = await untilHealth(operated, 'failing');
  const [first] = receiver.received;
  expect(delivery).toEqual({
    status: 'failing',
    reason: null,
    backlog: 1,
    last_success_at: null,
    failing_since: expect.any(String),
    consecutive_failures: 1,
    next_attempt_at: expect.any(String),
    last_error: {
      at: expect.any(String),
      message: expect.stringContaining('503'),
      status: 503,
      attempt_id: `${idOf(first!)}/1`,
    },
  });
  expect(Date.parse(delivery.next_attempt_at)).toBeGreaterThan(Date.now() + 2_000_000);
  expect(advice).toContain('receiver');
  expect(await operated.state()).toMatchObject({
    status: 'failing',
    failing_since: delivery.failing_since,
    consecutive_failures: 1,
    next_attempt_at: delivery.next_attempt_at,
    last_error: { error: delivery.last_error.message, status_code: 503, attempt_id: delivery.last_error.attempt_id },
  });
  await operated.post(`/deliveries/${idOf(first!)}/retry`);
  await until(async () => (await healthOf(operated)).delivery.consecutive_failures === 2);
  expect((await healthOf(operated)).delivery).toMatchObject({
    failing_since: delivery.failing_since,
    last_error: { attempt_id: `${idOf(first!)}/2` },
  });
  receiver.respond = (response) => void response.end();
  await operated.post(`/deliveries/${idOf(first!)}/retry`);
  const recovered = await untilHealth(operated, 'healthy');
  expect(recovered.delivery).toMatchObject({
    status: 'active',
    backlog: 0,
    failing_since: null,
    consecutive_failures: 0,
    next_attempt_at: null,
    last_error: null,
  });
});

it('advises on the status of the last attempt: in a directory, in lists and in the overview', async () => {
  const operated = await createDirectory();
  receiver.respond = (response) => void response.writeHead(404).end();
  await operated.push('ada');
  const { advice } = await untilHealth(operated, 'failing');
  expect(advice).toContain('path of the webhook URL');
  const { id } = operated.directory;
  const adviceOf = (found: { id: string; health: { advice: string } }[]) => found.find((one) => one.id === id)?.health.advice;
  expect([adviceOf(await list('health=failing')), adviceOf((await overviewOf(service)).unhealthy)]).toEqual([advice, advice]);
  receiver.respond = unavailable;
  await operated.post(`/deliveries/${idOf(receiver.received[0]!)}/retry`);
  await until(async () => (await healthOf(operated)).delivery.consecutive_failures === 2);
  expect((await healthOf(operated)).advice).toContain('log');
});

it('says why a delivery is disabled, and what to do', async () => {
  const operated = await createDirectory();
  receiver.respond = (response) => void response.writeHead(410).end();
  await operated.push('ada');
  const health = await untilHealth(operated, 'disabled');
  expect(health).toMatchObject({
    advice: expect.stringContaining('resume'),
    delivery: { status: 'disabled', reason: expect.stringContaining('410'), next_attempt_at: null, last_error: { status: 410 } },
  });
});

it('refuses to skip the events of a failing delivery, and says how they can be skipped', async () => {
  const operated = await createDirectory();
  receiver.respond = unavailable;
  await operated.push('ada');
  await untilHealth(operated, 'failing');
  const { status, body } = await operated.post('/resume', { from: 'now' });
  expect([status, body.error.field, body.error.message]).toEqual([400, 'from', expect.stringMatching(/failing.*pause/)]);
  expect(await healthOf(operated)).toMatchObject({ status: 'failing', delivery: { backlog: 1 } });
});

it('is stale when nothing was pushed for the time of the setting, and healthy again with the next push', async () => {
  const operated = await createDirectory();
  await operated.push('ada');
  await operated.untilDone();
  const { id } = operated.directory;
  const setBack = async (days: number) => {
    const at = new Date(Date.now() - days * 86_400_000);
    await service.db('directories').where({ id }).update({ created_at: at });
    await service.db('stored_events').where({ directory_id: id }).update({ occurred_at: at });
  };
  await setBack(9);
  expect((await healthOf(operated)).status).toBe('healthy');
  await setBack(11);
  expect(await healthOf(operated)).toMatchObject({ status: 'stale', advice: expect.stringContaining('identity provider') });
  // Requests are not recorded yet: the event is committed with the push.
  await operated.push('ben');
  expect((await healthOf(operated)).status).toBe('healthy');
  await service
    .db('directory_pushes')
    .insert({ directory_id: id, last_push_at: new Date(Date.now() - 5 * 86_400_000) })
    .onConflict('directory_id')
    .merge();
  await service
    .db('stored_events')
    .where({ directory_id: id })
    .update({ occurred_at: new Date(0) });
  expect((await healthOf(operated)).status).toBe('healthy');
});

describe('with directories of several kinds', () => {
  const owner = { tenant: 'overview-tenant', product: 'overview-product' };
  const ids = {} as Record<'failing' | 'paused' | 'healthy' | 'deactivated' | 'foreign', string>;
  let api: Pick<TestService, 'api'>;

  async function createAll() {
    receiver.respond = unavailable;
    const [failing, paused, healthy, deactivated, foreign] = await Promise.all([
      createDirectory({ ...owner, name: 'failing' }),
      createDirectory({ ...owner, name: 'paused' }),
      createDirectory({ ...owner, name: 'healthy', webhook_url: '' }),
      createDirectory({ ...owner, name: 'deactivated', deactivated: true }),
      createDirectory({ name: 'foreign' }),
    ]);
    await paused.post('/pause');
    for (const operated of [failing, paused, healthy, foreign]) await operated.push('ada', 'ben');
    await untilHealth(failing, 'failing');
    await untilHealth(foreign, 'failing');
    for (const [name, operated] of Object.entries({ failing, paused, healthy, deactivated, foreign }))
      ids[name as keyof typeof ids] = operated.directory.id;
    api = await createKey(service, owner);
  }

  it('lists by health, counts, and shows what needs attention first, each caller only its own', async () => {
    await createAll();
    expect(idsOf(await list('health=failing'))).toEqual(expect.arrayContaining([ids.failing, ids.foreign]));
    expect(idsOf(await list('health=failing', api))).toEqual([ids.failing]);
    expect(idsOf(await list('health=unhealthy', api))).toEqual([ids.failing, ids.paused].sort());
    expect(idsOf(await list('health=deactivated', api))).toEqual([ids.deactivated]);
    const seen = Object.fromEntries((await list('', api)).map(({ id, health }) => [id, health.status]));
    expect(seen).toEqual({
      [ids.failing]: 'failing',
      [ids.paused]: 'paused',
      [ids.healthy]: 'healthy',
      [ids.deactivated]: 'deactivated',
    });
    const wrong = await service.api('GET', `${root}/all?health=ill`);
    expect([wrong.status, wrong.body.error.field]).toEqual([400, 'health']);

    const overview = await overviewOf(api);
    expect(overview).toMatchObject({
      directories: 4,
      by_health: { failing: 1, paused: 1, healthy: 1, deactivated: 1, disabled: 0, stale: 0 },
      backlog: { events: 4, directories: 2, oldest_at: expect.any(String) },
      unhealthy: [
        {
          id: ids.failing,
          name: 'failing',
          ...owner,
          backlog: 2,
          health: { status: 'failing', advice: expect.any(String) },
          delivery_status: 'failing',
          failing_since: expect.any(String),
          consecutive_failures: 1,
          last_error: { status: 503, attempt_id: expect.stringMatching(/^msg_.+\/1$/) },
        },
        {
          id: ids.paused,
          health: { status: 'paused' },
          delivery_status: 'paused',
          reason: expect.any(String),
          failing_since: null,
          last_error: null,
        },
      ],
    });
    const ofAll = await overviewOf(service);
    expect(ofAll.directories).toBeGreaterThan(4);
    expect(ofAll.unhealthy.map(({ id }: { id: string }) => id)).toContain(ids.foreign);
    const ofOne = await overviewOf(await createKey(service, { directory_id: ids.paused }));
    expect([ofOne.directories, ofOne.unhealthy.map(({ id }: { id: string }) => id)]).toEqual([1, [ids.paused]]);
    expect((await fetch(`${service.baseUrl}/api/v1/overview`)).status).toBe(401);
  });
});
