import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createOperated, root, type Operated } from '../support/operate.ts';
import { fail } from '../support/receiver.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { retryOnce } from '../support/retry-schedules.ts';
import { apiKey, startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_RETRY_SCHEDULE: retryOnce });
});
afterAll(() => service.stop());
const receiver = useReceiver();

const createDirectory = (fields?: Record<string, unknown>) => createOperated(service, receiver, fields);

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

  it('names the invalid field', async () => {
    const wrong: [object, string | undefined][] = [
      [{}, 'mode'],
      [{ mode: 'all' }, 'mode'],
      [{ mode: 'single' }, 'mode'],
      [{ mode: 'single', sequence: 1, event_id: eventId }, 'sequence'],
      [{ mode: 'single', sequence: 0 }, 'sequence'],
      [{ mode: 'single', sequence: '1' }, 'sequence'],
      [{ mode: 'single', sequence: 3 }, 'sequence'],
      [{ mode: 'range' }, 'mode'],
      [{ mode: 'range', from_sequence: 1 }, 'to_sequence'],
      [{ mode: 'range', to_sequence: 1 }, 'from_sequence'],
      [{ mode: 'range', from_sequence: 2, to_sequence: 1 }, 'to_sequence'],
      [{ mode: 'range', from_sequence: 1, to_sequence: 9 }, 'to_sequence'],
      [{ mode: 'range', from_sequence: 1e30, to_sequence: 1e30 }, 'from_sequence'],
      [{ mode: 'range', from_sequence: 1, to_sequence: 2, to: '2026-01-01T00:00:00Z' }, 'to'],
      [{ mode: 'range', from: '2026-01-01T00:00:00Z' }, 'to'],
      [{ mode: 'range', from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'to'],
      [{ mode: 'range', from: 'yesterday', to: 'today' }, 'from'],
      [{ mode: 'range', from: 1, to: '2' }, 'from'],
      [{ mode: 'failed', since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'until'],
      [{ mode: 'failed', from_sequence: 1 }, 'from_sequence'],
      [{ mode: 'failed', sinse: '2026-01-02T00:00:00Z' }, 'sinse'],
      [{ mode: 'failed', dry_run: 'yes' }, 'dry_run'],
      [{ mode: 'failed' }, undefined],
      [{ mode: 'missing' }, undefined],
    ];
    for (const [request, field] of wrong) {
      const { status, body } = await operated.post('/replays', request);
      expect([request, status, body.data, body.error?.field]).toEqual([request, 400, null, field]);
      expect(body.error.message).toMatch(/[.?]$/);
    }
    expect(await operated.get('/replays')).toEqual([]);
  });

  it('is a 404 for an unknown ID, and for one of another directory', async () => {
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
    const done = await operated.replay({ mode: 'single', sequence: 1 });
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

  it('includes a range that is still to be delivered, or is no longer kept', async () => {
    receiver.respond = fail;
    await operated.push('c');
    await operated.untilStatus('disabled');
    const later = await operated.post('/replays', { mode: 'range', from_sequence: 3, to_sequence: 3 });
    expect([later.status, later.body.error.field]).toEqual([400, 'from_sequence']);
    expect((await operated.post('/replays', { mode: 'range', from_sequence: 2, to_sequence: 3, dry_run: true })).body.data.total).toBe(1);
    const { id } = operated.directory;
    await service.db('events').where({ directory_id: id, sequence: 1 }).delete();
    await service.db('directories').where({ id }).update({ swept_sequence: 1 });
    const swept = await operated.post('/replays', { mode: 'range', from_sequence: 1, to_sequence: 2 });
    expect([swept.status, swept.body.error.field]).toEqual([400, 'from_sequence']);
    const single = await operated.post('/replays', { mode: 'single', sequence: 1 });
    expect([single.status, single.body.error.code]).toEqual([400, 'invalid_request']);
  });

  it('includes a directory without a webhook', async () => {
    await operated.patch({ webhook_url: '' });
    const { status, body } = await operated.post('/replays', { mode: 'single', sequence: 1 });
    expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', undefined]);
  });
});

it('limits how many replays of a directory are counted at the same time, and ends those whose caller has left', async () => {
  const operated = await createDirectory();
  await operated.push('a', 'b');
  await operated.untilDone();
  const active = async () => {
    const { rows } = await service.db.raw<{ rows: { count: number }[] }>(
      `select count(*) as count from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
         and query like '%jsonb_array_elements(cast($1 as jsonb)) range%'`,
    );
    return rows[0]!.count;
  };
  const count = (caller: AbortSignal) =>
    fetch(`${service.baseUrl}${root}/${operated.directory.id}/replays`, {
      method: 'POST',
      headers: { authorization: `Api-Key ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ mode: 'range', from_sequence: 1, to_sequence: 2, dry_run: true }),
      signal: caller,
    }).then(({ status, headers }) => `${status} ${headers.has('retry-after') ? 'Retry-After' : ''}`.trim());
  const responses: string[] = [];
  const all: Promise<void>[] = [];
  await service.db.transaction(async (blocker) => {
    // It makes them wait in Postgres.
    await blocker.raw('lock table stored_events in access exclusive mode');
    const leaving = new AbortController();
    const left = count(leaving.signal);
    await until(async () => (await active()) === 1);
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    // By itself it would end after four seconds, at its time limit.
    await until(async () => (await active()) === 0, { timeoutMs: 4_000 });
    for (let sent = 0; sent < 15; sent += 1) all.push(count(AbortSignal.timeout(30_000)).then((response) => void responses.push(response)));
    await until(() => responses.length === 4);
    expect([await active(), responses]).toEqual([1, Array<string>(4).fill('429 Retry-After')]);
  });
  await Promise.all(all);
  expect(responses.slice(4)).toEqual(Array<string>(11).fill('200'));
});
