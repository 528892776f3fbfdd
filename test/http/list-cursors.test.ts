import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomRuns } from '../support/random-runs.ts';
import { createSeededRandom } from '../support/seed.ts';
import { newId } from '../../src/ids.ts';
import { untilDelivered } from '../support/deliveries.ts';
import { until } from '../support/until.ts';
import { useReceiver } from '../support/use-receiver.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

const receiver = useReceiver();
let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

const root = '/api/v1/directory-sync';
const get = (path: string, query: Record<string, string | number>) =>
  service.api(
    'GET',
    `${root}${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString()}`,
  );

interface Listed {
  id?: string;
  user_id?: string;
}

/** Reads all pages of a list, and calls back between them. */
async function walk(path: string, query: Record<string, string | number>, between: () => Promise<void> = async () => undefined) {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { status, body } = await get(path, { ...query, cursor });
    expect([status, body.error ?? null]).toEqual([200, null]);
    ids.push(...body.data.map(({ id, user_id: userId }: Listed) => id ?? userId));
    cursor = body.next_cursor;
    await between();
  }
  return ids;
}

const push = async (directory: TestDirectory, path: string, resource: object) =>
  (await directory.scim('POST', path, resource)).body.id as string;

/** A user with an ID from elsewhere, as an import stores it. */
async function insertForeign(directoryId: string, at: Date): Promise<string> {
  const id = randomUUID();
  const names = { user_name: id, user_name_key: id, first_name: '', last_name: '', email: '' };
  await service.db('users').insert({
    directory_id: directoryId,
    id,
    ...names,
    active: true,
    resource: { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: id },
    created_at: at,
    updated_at: at,
  });
  return id;
}

it('shows nobody twice and misses nobody who exists throughout, while others come and go', async () => {
  const random = createSeededRandom();
  const owner = { tenant: `walk${random.below(1_000_000)}`, product: 'app' };
  const directories = await Promise.all([service.createDirectory(owner), service.createDirectory(owner)]);
  const group = await push(directories[0], '/Groups', { displayName: 'All' });
  const lasting: string[] = [];
  const coming: { directory: TestDirectory; id: string }[] = [];
  const addMember = (id: string) =>
    directories[0].scim('PATCH', `/Groups/${group}`, { Operations: [{ op: 'add', path: 'members', value: [{ value: id }] }] });
  for (let index = 0; index < 24; index += 1) {
    const directory = directories[random.below(2)]!;
    const isForeign = random.below(4) === 0;
    const id = isForeign
      ? await insertForeign(directory.id, new Date())
      : await push(directory, '/Users', { userName: `user${index}`, active: random.below(3) > 0 });
    if (directory === directories[0]) await addMember(id);
    if (isForeign || random.below(2) === 0) lasting.push(id);
    else coming.push({ directory, id });
  }
  let pushed = 0;
  async function write(): Promise<void> {
    for (const _ of Array.from({ length: 2 })) {
      const leaving = random.below(2) === 0 ? coming.splice(random.below(coming.length), 1)[0] : undefined;
      if (leaving) await leaving.directory.scim('DELETE', `/Users/${leaving.id}`);
      const directory = directories[random.below(2)]!;
      const id = await push(directory, '/Users', { userName: `late${(pushed += 1)}` });
      if (directory === directories[0]) await addMember(id);
      coming.push({ directory, id });
      const changed = lasting[random.below(lasting.length)]!;
      await Promise.all(
        directories.map(({ scim }) =>
          scim('PATCH', `/Users/${changed}`, { Operations: [{ op: 'replace', path: 'title', value: String(pushed) }] }),
        ),
      );
    }
  }
  const members = new Set(await walk(`/groups/${group}/members`, { tenant: owner.tenant, product: owner.product }));
  const lists: [path: string, query: Record<string, string | number>, expected: string[]][] = [
    ['/users', owner, lasting],
    ['/users', { ...owner, updated_after: '2020-01-01T00:00:00Z' }, lasting],
    ['/users', { ...owner, group_id: group }, lasting.filter((id) => members.has(id))],
    [`/groups/${group}/members`, owner, lasting.filter((id) => members.has(id))],
  ];
  for (const [path, query, expected] of lists) {
    const limit = 1 + random.below(5);
    let pages = 0;
    // Writers make the list longer while it is read: they stop, so that it ends.
    const seen = await walk(path, { ...query, limit }, async () => ((pages += 1) <= randomRuns(12) ? write() : undefined));
    expect({ path, query, twice: seen.length - new Set(seen).size }).toEqual({ path, query, twice: 0 });
    expect({ path, query, missed: expected.filter((id) => !seen.includes(id)) }).toEqual({ path, query, missed: [] });
  }
});

function withTime(cursor: string, at: number): string {
  const [digest, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, object];
  return Buffer.from(JSON.stringify([digest, { ...position, at }])).toString('base64url');
}

interface AnyPage {
  data: { id?: string; client_id?: string }[];
  next_cursor: string | null;
}

const idsOf = ({ data }: AnyPage) => data.map(({ id, client_id: client }) => id ?? client);
/** Two of them have the same time. */
const sameTime = (index: number) => new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 2)));

describe('a cursor', () => {
  let directory: TestDirectory;
  let groups: string[];
  let user: string;
  beforeAll(async () => {
    directory = await service.createDirectory({ tenant: 'cursors', product: 'app' });
    user = await push(directory, '/Users', { userName: 'ada' });
    const members = [{ value: user }];
    groups = [];
    for (const displayName of ['one', 'two', 'three']) groups.push(await push(directory, '/Groups', { displayName, members }));
    const nested = [...groups.slice(1), user].map((value) => ({ value }));
    await directory.scim('PATCH', `/Groups/${groups[0]}`, { Operations: [{ op: 'add', path: 'members', value: nested }] });
    for (const userName of ['ben', 'eve']) await push(directory, '/Users', { userName });
  });
  const select = () => ({ directory_id: directory.id });

  it('gives the same items in the same order as offsets do', async () => {
    for (const path of [
      '/users',
      '/groups',
      `/groups/${groups[0]}/members`,
      `/groups/${groups[0]}/nested-groups`,
      `/users/${user}/groups`,
    ]) {
      const { body } = await get(path, select());
      const whole = body.data.map(({ id, user_id: userId }: Listed) => id ?? userId);
      expect(whole.length).toBeGreaterThan(0);
      expect(body.next_cursor).toBeNull();
      expect(await walk(path, { ...select(), limit: 1 })).toEqual(whole);
      expect((await get(path, { ...select(), limit: 1, offset: whole.length - 1 })).body.next_cursor).toBeNull();
    }
  });

  it('continues the lists of directories, keys, clients, requests, deliveries, replays and syncs', async () => {
    const owner = { tenant: `lists${randomUUID()}`, product: `of${randomUUID()}` };
    const webhook = { webhook_url: receiver.url, webhook_secret: 'a secret of this test', log_webhook_events: true };
    const [logged, pulled] = [
      await service.createDirectory({ ...owner, ...webhook }),
      await service.createDirectory({ ...owner, type: 'google' }),
    ];
    for (let index = 0; index < 5; index += 1) {
      await push(logged, '/Users', { userName: `logged${index}` });
      await service.api('POST', '/api/v1/api-keys', { name: `key ${index}`, scopes: ['people:read'], tenant: owner.tenant });
      await service.api('POST', `${root}/${logged.id}/scim/clients`, { name: `client ${index}` });
    }
    await untilDelivered(service.db, logged);
    const { id: endpointId } = await service.db('webhook_endpoints').where({ directory_id: logged.id }).first('id');
    for (let index = 0; index < 5; index += 1) {
      await service.db('webhook_replays').insert({
        directory_id: logged.id,
        id: newId(),
        endpoint_id: endpointId,
        mode: 'missing',
        ranges: '[]',
        total: 1,
        status: 'done',
      });
      await service.db('sync_runs').insert({
        directory_id: pulled.id,
        id: randomUUID(),
        state: 'succeeded',
        trigger: 'request',
        requested_at: sameTime(index),
      });
    }
    await service
      .db('webhook_batches')
      .where({ directory_id: logged.id })
      .update({ created_at: sameTime(0) });
    const narrowed = (await service.api('POST', '/api/v1/api-keys', { name: 'narrowed', scopes: ['keys:write'], tenant: owner.tenant }))
      .body.data.key as string;
    const lists: [path: string, query: Record<string, string>, key?: string][] = [
      [root, owner],
      [`${root}/product`, { product: owner.product }],
      ['/api/v1/api-keys', {}, narrowed],
      [`${root}/${logged.id}/scim/clients`, {}],
      [`${root}/${logged.id}/requests`, {}],
      [`${root}/${logged.id}/deliveries`, {}],
      [`${root}/${logged.id}/deliveries`, { status: 'delivered' }],
      [`${root}/events`, { directory_id: logged.id }],
      [`${root}/${logged.id}/replays`, {}],
      [`${root}/${pulled.id}/syncs`, {}],
    ];
    for (const [path, query, key] of lists) {
      const read = async (more: Record<string, string>) => {
        const { status, body } = await service.api(
          'GET',
          `${path}?${new URLSearchParams({ ...query, ...more }).toString()}`,
          undefined,
          key === undefined ? {} : { authorization: `Api-Key ${key}` },
        );
        expect([path, status]).toEqual([path, 200]);
        return body as AnyPage;
      };
      // Requests are recorded after their responses.
      await until(async () => (await read({})).data.length > 1);
      const whole = await read({});
      const walked: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await read({ limit: '1', cursor });
        walked.push(...idsOf(page));
        cursor = page.next_cursor;
      }
      expect([path, whole.next_cursor, walked]).toEqual([path, null, idsOf(whole)]);
    }
  });

  it('of another list, of other filters or of no list is rejected with one sentence', async () => {
    const { next_cursor: cursor } = (await get('/users', { ...select(), limit: 1 })).body;
    const other = await service.createDirectory({ tenant: 'cursors', product: 'app' });
    const requests: [string, Record<string, string | number>][] = [
      ['/groups', { ...select(), cursor }],
      ['/users', { ...select(), cursor, state: 'active' }],
      ['/users', { directory_id: other.id, cursor }],
      ['/users', { ...select(), cursor: 'nothing' }],
      ['/users', { ...select(), cursor: 'x'.repeat(2_000) }],
      [`/groups/${groups[0]}/members`, { ...select(), cursor }],
      ['/users', { ...select(), cursor: withTime(cursor, Number.MIN_SAFE_INTEGER) }],
    ];
    for (const [path, query] of requests) {
      const { status, body } = await get(path, query);
      expect([status, body.error.code, body.error.field]).toEqual([400, 'invalid_request', 'cursor']);
      expect(body.error.message).toContain('next_cursor');
    }
    const both = await get('/users', { ...select(), cursor, offset: 1 });
    expect([both.status, both.body.error.field]).toEqual([400, 'cursor']);
    expect((await get('/users', { ...select(), cursor, limit: 2 })).status).toBe(200);
  });
});
