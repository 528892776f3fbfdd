import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { importFrom, targetEnv } from '../support/import-polis.ts';
import { createPolisTables, type PolisDirectoryValue, type PolisTables } from '../support/polis-tables.ts';
import { until } from '../support/until.ts';
import { startRollcallCommand } from '../cli/run-rollcall.ts';

let target: TestDatabase;
let polis: PolisTables;
beforeAll(async () => {
  [polis, target] = await Promise.all([createPolisTables(), cloneDatabase()]);
});
afterAll(async () => {
  await Promise.all([polis?.drop(), target?.drop()]);
});

/** A directory with three users who are in both of its groups. */
async function addFilledDirectory(tenant: string, groupRaw = {}): Promise<PolisDirectoryValue> {
  const directory = await polis.addDirectory({ tenant });
  const groups = [await polis.addGroup(directory, 'All', { raw: groupRaw }), await polis.addGroup(directory, 'Some')];
  for (let count = 0; count < 3; count += 1) {
    const { id } = await polis.addUser(directory);
    for (const group of groups) await polis.addMember(directory, group.id, id);
  }
  return directory;
}

const importTenant = (tenant: string, options: string[] = [], env: Record<string, string> = {}) =>
  importFrom(polis.url, target.url, ['--tenant', tenant, ...options], { env });
const isStored = async ({ id }: PolisDirectoryValue) => (await target.db('all_directories').where({ id })).length > 0;

it.each([
  ['MAX_USERS_PER_DIRECTORY', '2', '3'],
  ['MAX_GROUPS_PER_DIRECTORY', '1', '2'],
  ['MAX_MEMBERSHIPS_PER_DIRECTORY', '5', '6'],
  ['MAX_MEMBERS_PER_GROUP', '2', '3'],
  ['MAX_GROUPS_PER_MEMBER', '1', '2'],
  ['MAX_RESOURCE_BYTES_PER_DIRECTORY', '100', expect.any(String)],
])('imports nothing of a directory over %s, and names the setting', async (setting, limit, used) => {
  const directory = await addFilledDirectory(setting);
  const { code, report } = await importTenant(setting, [], { [setting]: limit });
  expect([code, report!.directories]).toMatchObject([1, [{ status: 'failed', reason: expect.stringContaining(`(${setting})`) }]]);
  expect(/It has (\d+)/.exec(report!.directories[0]!.reason!)![1]).toEqual(used);
  expect(await isStored(directory)).toBe(false);
});

it('stops reading a directory that is over a limit', async () => {
  const directory = await polis.addDirectory({ tenant: 'endless' });
  await polis.addUser(directory);
  const ofTenant = 'dsync:users:endless:%';
  await polis.db.raw(
    `insert into jackson_store (key, value, namespace)
     select key || n, value, namespace from jackson_store, generate_series(1, 20000) n where key like ?`,
    [ofTenant],
  );
  await polis.db.raw(
    `insert into jackson_index (key, "storeKey") select key, "storeKey" || n from jackson_index, generate_series(1, 20000) n
     where "storeKey" like ? and key like '%:directoryId:%'`,
    [ofTenant],
  );
  const { report } = await importTenant('endless', [], { MAX_USERS_PER_DIRECTORY: '100' });
  const [, read] = /It has (\d+)/.exec(report!.directories[0]!.reason!)!;
  expect(Number(read)).toBeLessThan(2_000);
});

it('counts rows before conflicts are resolved', async () => {
  const directory = await polis.addDirectory({ tenant: 'conflicts' });
  for (let count = 0; count < 2; count += 1) await polis.addUser(directory, { raw: { userName: 'ada@acme.example' } });
  const resolve = ['--on-conflict', 'newest'];
  const { report } = await importTenant('conflicts', resolve, { MAX_USERS_PER_DIRECTORY: '1' });
  expect(report!.directories).toMatchObject([{ status: 'failed', reason: expect.stringContaining('It has 2') }]);
  expect((await importTenant('conflicts', resolve, { MAX_USERS_PER_DIRECTORY: '2' })).code).toBe(0);
  expect(await target.db('users').where({ directory_id: directory.id })).toHaveLength(1);
});

it('does not let a directory that is followed grow beyond a limit', async () => {
  const directory = await polis.addDirectory({ tenant: 'growing' });
  await polis.addUser(directory);
  const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', 'growing', '--watch'], {
    env: { ...targetEnv(target.url), MAX_USERS_PER_DIRECTORY: '1' },
  });
  await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
  await polis.addUser(directory, {}, { modifiedAt: new Date().toISOString() });
  await until(() => /growing\/crm: It has 2, .*MAX_USERS_PER_DIRECTORY/.test(watching.stderr()), { timeoutMs: 60_000 });
  expect(await target.db('users').where({ directory_id: directory.id })).toHaveLength(1);
  watching.signal('SIGINT');
  expect((await watching.ended).code).toBe(1);
}, 120_000);

it('imports nothing whose announcement would exceed the limit of undelivered bytes', async () => {
  const directory = await addFilledDirectory('announced', { note: 'x'.repeat(100_000) });
  const env = { MAX_UNDELIVERED_BYTES_PER_DIRECTORY: '300000' };
  const { code, report } = await importTenant('announced', ['--announce'], env);
  const reason = expect.stringMatching(/^Its events would have 4\d{5} bytes.*MAX_UNDELIVERED_BYTES_PER_DIRECTORY.*--announce/);
  expect([code, report!.directories]).toMatchObject([1, [{ status: 'failed', reason }]]);
  expect(await isStored(directory)).toBe(false);
  expect((await importTenant('announced', [], env)).code).toBe(0);
});

it('stores a large group of announced memberships once', async () => {
  const directory = await addFilledDirectory('large-group', { note: 'x'.repeat(100_000) });
  expect((await importTenant('large-group', ['--announce'])).code).toBe(0);
  const ofDirectory = { directory_id: directory.id };
  const added = await target
    .db('events')
    .where({ ...ofDirectory, type: 'group.user_added' })
    .select<{ data: { group: { raw: { note?: string } } } }[]>('data');
  expect(added.filter(({ data }) => data.group.raw.note?.length === 100_000)).toHaveLength(3);
  const stored = await target
    .db('stored_events')
    .where({ ...ofDirectory, type: 'group.user_added' })
    .select<{ bytes: number; inline: number }[]>('bytes', target.db.raw('octet_length(cast(data as text)) as inline'));
  expect(stored.map(({ inline }) => inline < 3_000)).toEqual(stored.map(() => true));
  expect(stored.filter(({ bytes }) => bytes > 100_000)).toHaveLength(3);
  expect(await target.db('event_documents').where(ofDirectory)).toHaveLength(1);
});

async function reasonFor(tenant: string, event: string, data: object, env = {}) {
  const directory = await polis.addDirectory({ tenant });
  for (let count = 0; count < 3; count += 1) await polis.addEvent(directory, event, data);
  const { code, report } = await importTenant(tenant, ['--deliver-queued'], env);
  expect([code, await isStored(directory)]).toEqual([1, false]);
  return report!.directories[0]!.reason;
}

it('imports nothing of a directory whose queued events exceed the limit of undelivered bytes, or are too large or unknown', async () => {
  const small = { id: 'u-1', note: 'x'.repeat(1_000) };
  expect(await reasonFor('queue', 'user.created', small, { MAX_UNDELIVERED_BYTES_PER_DIRECTORY: '2000' })).toContain(
    '(MAX_UNDELIVERED_BYTES_PER_DIRECTORY)',
  );
  expect(await reasonFor('large-event', 'user.created', { note: 'x'.repeat(1_100_000) })).toContain('1048576 bytes');
  expect(await reasonFor('strange-event', 'user.invited', small)).toContain('the type of its event is unknown');
});

it('names a directory with very long texts', async () => {
  const directory = await polis.addDirectory({ tenant: 'wordy', name: 'x'.repeat(20_000) });
  const { code, stderr } = await importTenant('wordy');
  expect([code, stderr]).toEqual([1, expect.stringContaining('its texts have more than 16384 characters (fixed limit)')]);
  expect(await isStored(directory)).toBe(false);
});
