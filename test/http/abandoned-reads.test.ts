import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiKey, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const root = '/api/v1/directory-sync';
/** CANCEL_WITHIN_MS=1000 is the limit on a quiet machine. A read that is not canceled waits for its lock for four seconds. */
const canceledWithinMs = Number(process.env['CANCEL_WITHIN_MS'] ?? 3_000);

let service: TestService;
let directory: TestDirectory;
let userId: string;
let groupId: string;
beforeAll(async () => {
  // Without deliveries, only the requests of this file read.
  service = await startTestService({}, { deliver: false });
  directory = await service.createDirectory({ tenant: 'abandoned', product: 'reads' });
  const created = async (path: string, body: object) => (await directory.scim('POST', path, body)).body.id as string;
  userId = await created('/Users', { userName: 'ada@acme.example' });
  groupId = await created('/Groups', { displayName: 'Engineering' });
});
afterAll(() => service.stop());

/**
 * The statements that wait for a lock now. The background stores what it recorded of
 * earlier requests, and their number: both begin like this.
 */
const findWaiting = async () => {
  const { rows } = await service.db.raw<{ rows: { statement: string }[] }>(
    `select concat_ws(' ', pid, query_start, left(query, 300)) as statement from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and state = 'active' and application_name = 'rollcall'
       and query not like 'with present as%'`,
  );
  return rows.map(({ statement }) => statement);
};

/** Sends a request whose read waits for a lock, leaves, and returns how many milliseconds later its statement no longer waits. */
async function leaveDuring(table: string, method: string, path: string, headers: Record<string, string>): Promise<number> {
  const lock = await service.db.transaction();
  try {
    await lock.raw(`lock table ${table} in access exclusive mode`);
    const leaving = new AbortController();
    const response = fetch(`${service.baseUrl}${path}`, { method, headers, signal: leaving.signal }).catch(() => 'left');
    let waiting: string[] = [];
    await until(async () => (waiting = await findWaiting()).length > 0);
    leaving.abort();
    const leftMs = performance.now();
    expect(await response).toBe('left');
    const findLeft = async () => (await findWaiting()).filter((statement) => waiting.includes(statement));
    await until(async () => (await findLeft()).length === 0, { timeoutMs: canceledWithinMs, everyMs: 20 }).catch(async (cause: Error) => {
      throw new Error(`Still waiting: ${(await findLeft()).join('\n')}`, { cause });
    });
    return performance.now() - leftMs;
  } finally {
    await lock.rollback();
  }
}

const selector = () => `directoryId=${directory.id}`;

it.each([
  ['a user', 'users', () => `${root}/users/${userId}?${selector()}`],
  ['a list of users', 'users', () => `${root}/users?${selector()}`],
  ['a group', 'groups', () => `${root}/groups/${groupId}?${selector()}`],
  ['a directory with its health', 'directories', () => `${root}/${directory.id}`],
  ['the directories of a tenant and product', 'directories', () => `${root}?tenant=abandoned&product=reads`],
  ['the directories of a product', 'directories', () => `${root}/product?product=reads`],
  ['all directories', 'directories', () => `${root}/all`],
  ['the recorded requests', 'scim_requests', () => `${root}/${directory.id}/requests`],
  ['the state of deliveries', 'webhook_endpoints', () => `${root}/${directory.id}/delivery`],
  ['the delivery log', 'webhook_batches', () => `${root}/${directory.id}/deliveries`],
  ['a delivery', 'webhook_batches', () => `${root}/${directory.id}/deliveries/msg_${'0'.repeat(27)}`],
  ['replays', 'webhook_replays', () => `${root}/${directory.id}/replays`],
  ['a replay', 'webhook_replays', () => `${root}/${directory.id}/replays/${userId}`],
  ['sync runs', 'directories', () => `${root}/${directory.id}/syncs`],
  ['the statistics', 'directories', () => '/api/v1/stats'],
  ['the overview', 'directories', () => '/api/v1/overview'],
  ['the event feed', 'directories', () => `/api/v1/events?${selector()}`],
])('cancels the read of %s in Postgres when the caller leaves', async (_what, table, path) => {
  const ms = await leaveDuring(table, 'GET', path(), { authorization: `Api-Key ${apiKey}` });
  expect(ms).toBeLessThan(canceledWithinMs);
});

it.each([
  ['an authentication', 'directories', 'POST', '/Users'],
  ['a user by SCIM', 'users', 'GET', '/Users'],
  ['the headers of a user by SCIM', 'users', 'HEAD', '/Users'],
])('cancels the read of %s in Postgres when the client leaves', async (_what, table, method, path) => {
  const address = `/api/scim/v2.0/${directory.id}${path}/${method === 'POST' ? '' : userId}`;
  expect(await leaveDuring(table, method, address, { authorization: `Bearer ${directory.secret}` })).toBeLessThan(canceledWithinMs);
});

it('goes on with a job that was started by GET', async () => {
  const pending = await service.createDirectory({ webhook_url: 'https://app.example/hooks' });
  await pending.scim('POST', '/Users', { userName: 'grace@acme.example' });
  const endpoint = () => service.db('webhook_endpoints').where({ directory_id: pending.id });
  await endpoint().update({ wake: false });
  await leaveDuring('webhook_endpoints', 'GET', `${root}/cron/process-events`, { authorization: `Api-Key ${apiKey}` }).catch(
    () => undefined,
  );
  await until(async () => (await endpoint().first()).wake === true);
});
