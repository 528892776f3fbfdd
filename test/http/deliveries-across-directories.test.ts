import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createKey } from '../support/api-keys.ts';
import { createOperated, type Operated } from '../support/operate.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

interface Listed {
  id: string;
  status: string;
  failures: number;
  directory_id: string;
  directory: { name: string; tenant: string; product: string };
}

const path = '/api/v1/deliveries';
let service: TestService;
let receiver: Receiver;
let failingReceiver: Receiver;
let directories: Record<'first' | 'failing' | 'last', Operated>;

beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: '3600', EVENT_BATCH_MAX: '1' });
  [receiver, failingReceiver] = [await startReceiver(), await startReceiver()];
  failingReceiver.respond = (response) => void response.writeHead(500).end();
  const create = (name: string, tenant: string, product: string, to = receiver) =>
    createOperated(service, to, { name, tenant, product, log_webhook_events: false });
  directories = {
    first: await create('First', 'acme', 'crm'),
    failing: await create('Failing', 'acme', 'erp', failingReceiver),
    last: await create('Last', 'globex', 'crm'),
  };
  await directories.failing.push('a');
  await directories.failing.untilStatus('failing');
  for (const [at, names] of [
    ['first', ['a', 'b']],
    ['last', ['a', 'b', 'c']],
    ['first', ['c']],
  ] as const) {
    await directories[at].push(...names);
    await directories[at].untilDone();
  }
});
afterAll(async () => {
  await service?.stop();
  await receiver?.close();
  await failingReceiver?.close();
});

const list = async (query = '', api: TestService['api'] = service.api): Promise<Listed[]> => {
  const { status, body } = await api('GET', `${path}?${query}`);
  expect([status, body.error]).toEqual([200, null]);
  return body.data;
};
const names = (found: Listed[]) => found.map(({ directory }) => directory.name);

it('lists failed deliveries first, and then all others, newest first', async () => {
  const found = await list();
  expect(names(found)).toEqual(['Failing', 'First', 'Last', 'Last', 'Last', 'First', 'First']);
  expect(found[0]).toMatchObject({
    status: 'pending',
    failures: 1,
    directory_id: directories.failing.directory.id,
    directory: { name: 'Failing', tenant: 'acme', product: 'erp' },
  });
  for (const one of found)
    expect((await service.api('GET', `/api/v1/directory-sync/${one.directory_id}/deliveries/${one.id}`)).status).toBe(200);
});

it.each([
  ['tenant=acme', ['Failing', 'First', 'First', 'First']],
  ['product=crm', ['First', 'Last', 'Last', 'Last', 'First', 'First']],
  ['tenant=globex&product=erp', []],
  ['status=pending', ['Failing']],
  ['status=exhausted', []],
  ['status=canceled', []],
  ['status=delivered&tenant=globex', ['Last', 'Last', 'Last']],
  ['offset=1&limit=2', ['First', 'Last']],
  ['offset=6', ['First']],
])('selects by %s', async (query, expected) => {
  expect(names(await list(query))).toEqual(expected);
});

it.each(['', 'status=delivered', 'tenant=acme'])('continues where the page ended, with %p', async (query) => {
  const whole = (await list(query)).map(({ id }) => id);
  for (const limit of [1, 2, 3]) {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await service.api('GET', `${path}?limit=${limit}&cursor=${cursor}&${query}`);
      found.push(...(body.data as Listed[]).map(({ id }) => id));
      cursor = body.next_cursor as string | null;
    }
    expect(found).toEqual(whole);
  }
});

it('shows a narrowed key its own deliveries only, and hides directories that are being deleted', async () => {
  const key = await createKey(service, { tenant: 'globex', scopes: ['deliveries:read'] });
  expect(names(await list('', key.api))).toEqual(['Last', 'Last', 'Last']);
  expect(await list('tenant=acme', key.api)).toEqual([]);
  const one = await createKey(service, { directory_id: directories.failing.directory.id, scopes: ['deliveries:read'] });
  expect(names(await list('', one.api))).toEqual(['Failing']);
  expect((await service.api('GET', path, undefined, { Authorization: 'Bearer wrong' })).status).toBe(401);
  const gone = await createOperated(service, failingReceiver, { name: 'Gone', tenant: 'gone' });
  await gone.push('a');
  await gone.untilStatus('failing');
  expect(names(await list('tenant=gone'))).toEqual(['Gone']);
  await service.db('all_directories').where({ id: gone.directory.id }).update({ deleting_at: new Date() });
  expect(await list('tenant=gone')).toEqual([]);
});

it('lists what was given up, was skipped or was sent by a replay', async () => {
  const { post, push, untilStatus, untilReplay, get } = await createOperated(service, receiver, { name: 'Replayed', tenant: 'replayed' });
  await push('a', 'b');
  await until(async () => (await list('tenant=replayed&status=delivered')).length === 2);
  await post('/pause');
  await push('c');
  await post('/resume', { from: 'now' });
  expect(await list('tenant=replayed&status=skipped')).toHaveLength(1);
  receiver.respond = (response) => void response.writeHead(500).end();
  const { body } = await post('/replays', { mode: 'single', sequence: 1 });
  await until(async () => (await list('tenant=replayed&status=pending'))[0]?.failures === 1);
  await post(`/replays/${body.data.id}/cancel`);
  await untilReplay(body.data.id, 'canceled');
  expect(await list('tenant=replayed&status=canceled')).toHaveLength(1);
  await push('d');
  await untilStatus('failing');
  await service
    .db('webhook_batches')
    .where({ status: 'pending', failures: 1, directory_id: (await get('')).id })
    .update({ status: 'exhausted' });
  expect(await list('tenant=replayed&status=exhausted')).toHaveLength(1);
  expect((await list('tenant=replayed'))[0]!.status).toBe('exhausted');
});

it.each([
  ['status=open', 'status'],
  ['cursor=abc', 'cursor'],
])('rejects %s', async (query, field) => {
  const { status, body } = await service.api('GET', `${path}?${query}`);
  expect([status, body.error.field]).toEqual([400, field]);
});
