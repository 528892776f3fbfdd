import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { newId } from '../../src/ids.ts';
import { readAuditLog } from '../support/audit.ts';
import { createSeededRandom } from '../support/seed.ts';
import { apiKey, startTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { fetchSnapshot, follow, keep, parseLines, readFeed, readSnapshot, snapshotPath } from '../support/snapshots.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ SNAPSHOTS: '2' }, { deliver: false });
});
afterAll(() => service.stop());

/** Returns the response before its body is read. */
async function open(directoryId: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const address = `${service.baseUrl}${snapshotPath(directoryId)}`;
  const request = httpGet(address, { headers: { authorization: `Api-Key ${apiKey}`, ...headers } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

/** Counts the open transactions of snapshots. */
async function countOpen(): Promise<number> {
  const { rows } = await service.db.raw<{ rows: { count: number }[] }>(
    `select count(distinct pid) as count from pg_locks l join pg_database d on d.oid = l.database
     where locktype = 'advisory' and mode = 'ExclusiveLock' and datname = current_database() and pid in (
       select pid from pg_stat_activity where application_name = 'rollcall' and state like 'idle in transaction%' or state = 'active'
     ) and (classid, objid) in ((1, 2970669238), (1, 2970669239))`,
  );
  return rows[0]!.count;
}

const isClosed = () => until(async () => (await countOpen()) === 0);

/** Inserts users with documents of the given size. */
async function fill(directoryId: string, users: number, bytes = 1_000) {
  await service.db.raw(
    `insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
     select :directoryId, cast(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as uuid), 'u' || n, 'u' || n, true, '', '', '',
       jsonb_build_object('userName', 'u' || n, 'title', (select string_agg(md5(n || ' ' || part), '') from generate_series(1, :parts) part)), now(), now()
     from generate_series(1, :users) n`,
    { directoryId, users, parts: Math.ceil(bytes / 32) },
  );
}

const push = async (directory: TestDirectory, path: string, body: object) => (await directory.scim('POST', path, body)).body.id as string;

it('streams users, groups and memberships between two lines with the sequence', async () => {
  const directory = await service.createDirectory();
  const ada = await push(directory, '/Users', { userName: 'ada@acme.example', externalId: '7', name: { givenName: 'Ada' } });
  const inner = await push(directory, '/Groups', { displayName: 'Inner' });
  const members = [{ value: ada }, { value: inner }, { value: 'waiting' }];
  const outer = await push(directory, '/Groups', { displayName: 'Outer', members });
  const lines = await readSnapshot(service, directory.id);
  const one = (type: string, id: string) => lines.find((line) => line.type === type && line.data.id === id)?.data;
  // One event for each resource, one for the user in the group, and one for the group in it.
  const sequence = 5;
  expect(lines[0]).toEqual({
    type: 'start',
    directory_id: directory.id,
    tenant: 'acme',
    product: 'app',
    sequence,
    after: expect.any(String),
    taken_at: expect.any(String),
  });
  expect(one('user', ada)).toEqual(
    (await service.api('GET', `/api/v1/directory-sync/users/${ada}?directory_id=${directory.id}`)).body.data,
  );
  const listed = await service.api('GET', `/api/v1/directory-sync/groups?directory_id=${directory.id}`);
  expect([one('group', outer), one('group', inner)]).toEqual(listed.body.data);
  expect(lines.filter(({ type }) => type === 'membership')).toEqual([{ type: 'membership', data: { group_id: outer, user_id: ada } }]);
  expect(lines.at(-1)).toEqual({ type: 'end', sequence, after: lines[0]!['after'], users: 1, groups: 2, memberships: 1 });
  expect(await readFeed(service, directory.id, lines[0]!['after'])).toEqual([]);
  expect(await readAuditLog(service, { directory_id: directory.id, action: 'directory.exported' })).toHaveLength(1);
});

it('compresses when asked, and ignores Range', async () => {
  const { id } = await service.createDirectory();
  await fill(id, 1_500);
  const compressed = await open(id, { 'accept-encoding': 'gzip', range: 'bytes=100-' });
  expect(compressed).toMatchObject({ statusCode: 200, headers: { 'content-encoding': 'gzip', 'accept-ranges': 'none' } });
  const lines = parseLines(await text(compressed.pipe(createGunzip())));
  await isClosed();
  const plain = await open(id);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(parseLines(await text(plain)).slice(1)).toEqual(lines.slice(1));
  expect(lines.at(-1)).toMatchObject({ type: 'end', users: 1_500 });
});

it('continues with the feed to exactly the current state, despite concurrent writes', async () => {
  const random = createSeededRandom();
  const directory = await service.createDirectory();
  await fill(directory.id, 2_000, 64);
  const groups: string[] = [];
  for (let index = 0; index < 3; index += 1) groups.push(await push(directory, '/Groups', { displayName: `g${index}` }));
  let isWriting = true;
  const write = async (writer: number) => {
    const users: string[] = [];
    for (let number = 0; isWriting; number += 1) {
      const user = users[random.below(users.length || 1)];
      const group = groups[random.below(groups.length)]!;
      const patch = (path: string, ...operations: object[]) => directory.scim('PATCH', path, { Operations: operations });
      const member = { path: 'members', value: [{ value: user ?? 'later' }] };
      const dice = random.below(8);
      // Without `active`, activating an active user would only change its stored form, which emits no event.
      if (!user || dice < 2) users.push(await push(directory, '/Users', { userName: `w${writer} ${number}`, active: true }));
      else if (dice === 2) await patch(`/Users/${user}`, { op: 'replace', path: 'active', value: random.below(2) === 0 });
      else if (dice === 3) await patch(`/Groups/${group}`, { op: 'remove', path: `members[value eq "${user}"]` });
      else if (dice === 4) await directory.scim('DELETE', `/Users/${users.splice(users.indexOf(user), 1)[0]}`);
      else if (dice === 5 && writer === 0) await patch(`/Groups/${group}`, { op: 'replace', path: 'displayName', value: newId() });
      else await patch(`/Groups/${group}`, { op: 'add', ...member });
    }
  };
  const writing = Promise.all([0, 1, 2, 3].map(write)).catch((error: unknown) => error);
  const snapshots = [];
  for (let read = 0; read < 5; read += 1) {
    const { sequence } = (await readSnapshot(service, directory.id))[0]!;
    await until(async () => (await readSnapshot(service, directory.id))[0]!['sequence'] > sequence + 5);
    snapshots.push(await readSnapshot(service, directory.id));
  }
  isWriting = false;
  expect(await writing).toHaveLength(4);
  const last = await readSnapshot(service, directory.id);
  const present = keep(last);
  for (const lines of snapshots) {
    expect(lines.at(-1)!['sequence']).toBe(lines[0]!['sequence']);
    expect(follow(keep(lines), await readFeed(service, directory.id, lines[0]!['after']))).toEqual(present);
  }
  expect(snapshots[0]![0]!['sequence']).toBeLessThan(last[0]!['sequence']);
});

describe('a snapshot that is not read to its end', () => {
  let large: string;
  beforeAll(async () => {
    ({ id: large } = await service.createDirectory());
    await fill(large, 3_000, 16_000);
  });

  afterEach(isClosed);

  it('is canceled when the caller disconnects', async () => {
    const response = await open(large);
    expect(await countOpen()).toBe(1);
    response.destroy();
    await isClosed();
  });

  it('is limited to one per tenant, and two in all', async () => {
    const first = await open(large);
    const [sibling, another, third] = [
      await service.createDirectory({ product: 'other' }),
      await service.createDirectory({ tenant: 'another' }),
      await service.createDirectory({ tenant: 'third' }),
    ];
    const refused = (id: string) => service.api('GET', snapshotPath(id));
    for (const { id } of [{ id: large }, sibling]) {
      const ofSame = await refused(id);
      expect(ofSame).toMatchObject({ status: 503, body: { error: { code: 'unavailable', message: expect.stringContaining('tenant') } } });
      expect(Number(ofSame.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await fill(another.id, 3_000, 16_000);
    const second = await open(another.id);
    expect(await refused(third.id)).toMatchObject({ status: 503, body: { error: { message: expect.stringContaining('SNAPSHOTS') } } });
    const others = await service.startAnother();
    expect((await fetchSnapshot(others, third.id)).status).toBe(503);
    await others.stop();
    for (const response of [first, second]) response.destroy();
    await isClosed();
    await readSnapshot(service, third.id);
  });

  it('breaks the connection when it fails, and has no last line', async () => {
    const response = await open(large);
    await until(async () => {
      const { rows } = await service.db.raw<{ rows: object[] }>(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'rollcall' and state = 'idle in transaction' and datname = current_database()`,
      );
      return rows.length > 0;
    });
    await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await isClosed();
  });

  it('is canceled after SNAPSHOT_TIMEOUT_MS', async () => {
    const impatient = await service.startAnother({ SNAPSHOT_TIMEOUT_MS: '3000' });
    const request = httpGet(`${impatient.baseUrl}${snapshotPath(large)}`, { headers: { authorization: `Api-Key ${apiKey}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await isClosed();
    await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await impatient.stop();
  });
});

it('opens no snapshot for a HEAD request, which has no body', async () => {
  const { id } = await service.createDirectory();
  const head = (directoryId: string) =>
    fetch(`${service.baseUrl}${snapshotPath(directoryId)}`, { method: 'HEAD', headers: { authorization: `Api-Key ${apiKey}` } });
  // More requests than the pool has connections.
  for (let request = 0; request < 4; request += 1) {
    const response = await head(id);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jsonl']);
    expect(await countOpen()).toBe(0);
  }
  expect((await head(newId())).status).toBe(404);
  expect(await readAuditLog(service, { directory_id: id, action: 'directory.exported' })).toHaveLength(0);
  await readSnapshot(service, id);
});

it('responds equally to a missing directory and to one of another tenant', async () => {
  expect(await service.api('GET', snapshotPath(newId()))).toMatchObject({ status: 404 });
  expect(await service.api('GET', snapshotPath('nothing'))).toMatchObject({ status: 404 });
  expect(await service.api('GET', snapshotPath(newId()), undefined, { authorization: '' })).toMatchObject({ status: 401 });
});
