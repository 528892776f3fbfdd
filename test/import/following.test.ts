import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { readKeyUsers } from '../../src/store/encryption/keys-in-use.ts';
import { createSyncRunStore } from '../../src/store/syncs/sync-run-store.ts';
import { startRollcallCommand } from '../cli/run-rollcall.ts';
import { holdWrites, importFrom, targetEnv } from '../support/import-polis.ts';
import { usePolisAndTarget } from '../support/polis-tables.ts';
import { until } from '../support/until.ts';

const { polis, target } = usePolisAndTarget();

const now = () => new Date().toISOString();
const sees = (condition: () => Promise<boolean>) => until(condition, { timeoutMs: 60_000 });

const usersOf = (directoryId: string) => target.db('users').where({ directory_id: directoryId }).pluck<string[]>('id');

it('follows a live Polis until it is stopped: new, changed and removed users, groups, memberships, settings and directories', async () => {
  const directory = await polis.addDirectory({ tenant: 'live' });
  const [ada, grace] = [await polis.addUser(directory), await polis.addUser(directory)];
  const group = await polis.addGroup(directory, 'All');
  await polis.addMember(directory, group.id, ada.id);
  await polis.addEvent(directory, 'user.created', {});
  const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', 'live', '--watch', '--json'], {
    env: targetEnv(target.url),
  });
  await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
  expect((await usersOf(directory.id)).sort()).toEqual([ada.id, grace.id].sort());

  const added = await polis.addUser(directory, {}, { modifiedAt: now() });
  await polis.addMember(directory, group.id, added.id, { modifiedAt: now() });
  const rowOf = (id: string) => polis.db('jackson_store').where('value', 'like', `%"id":"${id}"%`).andWhere('key', 'like', 'dsync:users:%');
  await rowOf(ada.id).update({ value: JSON.stringify({ ...ada, first_name: 'Changed' }), modifiedAt: now().replace('Z', '') });
  await sees(async () => (await usersOf(directory.id)).includes(added.id));
  await sees(async () => {
    const changed = await target.db('users').where({ id: ada.id }).first<{ first_name: string }>('first_name');
    return changed.first_name === 'Changed';
  });

  await rowOf(grace.id).delete();
  await polis
    .db('jackson_store')
    .where('key', 'like', 'dsync:config:%')
    .update({ value: JSON.stringify({ ...directory, name: 'New name' }), modifiedAt: now().replace('Z', '') });
  await sees(async () => !(await usersOf(directory.id)).includes(grace.id));
  await sees(async () => (await target.db('directories').where({ id: directory.id, name: 'New name' })).length === 1);
  const later = await polis.addDirectory({ tenant: 'live', product: 'later' });
  await sees(async () => (await target.db('directories').where({ id: later.id })).length === 1);

  // Polis deletes a directory in this way.
  await polis.db('jackson_store').where('key', 'like', 'dsync:config:%').andWhere('value', 'like', `%${later.id}%`).delete();
  await sees(async () => (await target.db('directories').where({ id: later.id })).length === 0);
  await sees(async () => watching.stderr().includes('live/later: deleted, as in Polis.'));

  watching.signal('SIGINT');
  const { code, stdout } = await watching.ended;
  expect(code).toBe(0);
  const report = JSON.parse(stdout);
  expect(report.totals).toMatchObject({ directories: 1, users: { imported: 2 }, memberships: { imported: 2 } });
  for (const { checksums } of report.directories) expect(checksums.target).toEqual(checksums.source);
  expect(await target.db('stored_events').where({ directory_id: directory.id })).toEqual([]);
});

it('follows a directory of before v1.7.0, whose ID is no UUID', async () => {
  const id = polisHash('former:crm');
  const directory = await polis.addDirectory({ id, tenant: 'former', product: 'crm' });
  const ada = await polis.addUser(directory);
  const group = await polis.addGroup(directory, 'All');
  const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', 'former', '--watch'], {
    env: targetEnv(target.url),
  });
  await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
  await polis.addMember(directory, group.id, ada.id, { modifiedAt: now() });
  await sees(async () => (await target.db('group_members').where({ group_id: group.id, member_id: ada.id })).length === 1);
  watching.signal('SIGINT');
  expect(await watching.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Nothing of this directory was imported') });
});

it('starts no sync of the directories before the last comparison, even after a kill', async () => {
  const directory = await polis.addDirectory({ tenant: 'google', type: 'google', google_refresh_token: 'refresh' });
  const runs = createSyncRunStore(target.db);
  const startsItself = async () => {
    const [scheduled, all] = [await runs.requestScheduled(directory.id), await runs.requestAll('google')];
    await target.db('sync_runs').where({ directory_id: directory.id }).delete();
    return [scheduled, all.length];
  };
  const watch = async () => {
    const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', 'google', '--watch'], {
      env: targetEnv(target.url),
    });
    await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
    return watching;
  };
  const killed = await watch();
  expect(await startsItself()).toEqual([false, 0]);
  // `keys rewrap` still reports its key as used.
  expect(await readKeyUsers(target.db)).toContainEqual(expect.objectContaining({ hasEnded: false }));
  killed.signal('SIGKILL');
  await killed.ended;
  expect(await startsItself()).toEqual([false, 0]);
  await importFrom(polis.url, target.url, ['--tenant', 'google', '--dry-run']);
  expect(await startsItself()).toEqual([false, 0]);
  await importFrom(polis.url, target.url, ['--tenant', 'google']);
  expect(await startsItself()).toEqual([true, 1]);

  const stopped = await watch();
  // What is skipped is synced after the last comparison too.
  await target.db('all_directories').where({ id: directory.id }).increment('revision', 1);
  expect(await startsItself()).toEqual([false, 0]);
  stopped.signal('SIGINT');
  expect(await stopped.ended).toMatchObject({ code: 0, stderr: expect.stringContaining('changed in Rollcall since its import') });
  expect(await startsItself()).toEqual([true, 1]);
}, 120_000);

it('rolls back changed rows that lack a deletion, if the comparison of everything fails', async () => {
  const directory = await polis.addDirectory({ tenant: 'deletion' });
  const [ada, grace] = [await polis.addUser(directory), await polis.addUser(directory)];
  const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', 'deletion', '--watch'], {
    env: { ...targetEnv(target.url), MAX_USERS_PER_DIRECTORY: '2' },
  });
  await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
  const held = await holdWrites(target.db, directory.id);
  await held.isWaiting();
  await polis.db('jackson_store').where('value', 'like', `%"id":"${ada.id}"%`).delete();
  for (let added = 0; added < 2; added += 1) await polis.addUser(directory, {}, { modifiedAt: now() });
  await held.release();
  await until(() => /deletion\/crm: .*MAX_USERS_PER_DIRECTORY/.test(watching.stderr()), { timeoutMs: 60_000 });
  expect((await usersOf(directory.id)).sort()).toEqual([ada.id, grace.id].sort());
  expect(await target.db('imported_directories').where({ directory_id: directory.id }).pluck('users')).toEqual([2]);
  watching.signal('SIGINT');
  expect((await watching.ended).code).toBe(1);
}, 120_000);

it('keeps a directory that disappeared from Polis between two reads, and reports it', async () => {
  const directory = await polis.addDirectory({ tenant: 'gone' });
  await importFrom(polis.url, target.url, ['--tenant', 'gone']);
  await polis.db('jackson_store').where('value', 'like', `%"id":"${directory.id}"%`).delete();
  const { code, report } = await importFrom(polis.url, target.url, ['--tenant', 'gone']);
  expect([code, report!.directories]).toMatchObject([
    0,
    [{ id: directory.id, status: 'skipped', reason: expect.stringContaining('no longer in Polis') }],
  ]);
  expect(await target.db('directories').where({ id: directory.id })).toHaveLength(1);
});

it('announces what it imports with --announce', async () => {
  const directory = await polis.addDirectory({ tenant: 'announced' });
  const user = await polis.addUser(directory, { raw: { userName: 'ada', note: 'x'.repeat(5_000) } });
  const group = await polis.addGroup(directory, 'All');
  await polis.addMember(directory, group.id, user.id);
  await importFrom(polis.url, target.url, ['--tenant', 'announced', '--announce']);
  const events = await target.db('events').where({ directory_id: directory.id }).orderBy('sequence').select('sequence', 'type', 'data');
  expect(events).toMatchObject([
    { sequence: 1, type: 'user.created', data: { id: user.id, email: user.email, raw: { userName: 'ada', id: user.id } } },
    { sequence: 2, type: 'group.created', data: { id: group.id, name: 'All', raw: { members: [] } } },
    { sequence: 3, type: 'group.user_added', data: { id: user.id, raw: { userName: 'ada' }, group: { id: group.id } } },
  ]);
  await importFrom(polis.url, target.url, ['--tenant', 'announced', '--announce']);
  expect(await target.db('stored_events').where({ directory_id: directory.id })).toHaveLength(3);
});

it('reads Polis over HTTP, page by page, for databases of other engines', async () => {
  const directory = {
    id: '0b0f6f3e-6d0e-4a57-9f0e-0c6f3f0a9f11',
    name: 'Over HTTP',
    tenant: 'http',
    product: 'crm',
    type: 'azure-scim-v2',
    log_webhook_events: true,
    webhook: { endpoint: 'https://app.example/hooks', secret: 'the old webhook secret' },
    scim: { path: '/api/scim/v2.0/x/?aadOptscim062020', secret: 'the-old-scim-secret-22' },
  };
  const users = Array.from({ length: 120 }, (_, number) => ({
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    email: `user-${number}@example.com`,
    first_name: 'Ada',
    last_name: 'Lovelace',
    active: true,
    raw: { userName: `user-${number}@example.com`, badge: 'the number 9007199254740993' },
  }));
  const group = { id: 'group-1', name: 'All', raw: { displayName: 'All', members: [] } };
  const link = {
    setupID: 'the ID',
    tenant: directory.tenant,
    product: 'crm',
    service: 'dsync',
    validTill: Date.now() + 86_400_000,
    url: `https://polis.example/setup/${'ab'.repeat(24)}`,
    webhook_url: 'https://app.example/hooks',
    webhook_secret: 'secret',
  };
  const lists: Record<string, unknown[]> = {
    '/api/v1/dsync/product': [directory],
    '/api/v1/dsync/users': users,
    '/api/v1/dsync/groups': [group],
    '/api/v1/dsync/setuplinks/product': [link],
    '/api/v1/dsync/groups/group-1/members': users.map(({ id }) => ({ user_id: id })),
  };
  let version = '26.2.7';
  const states = new Set<string>();
  const server = await serve(async (path, query, key) => {
    if (path === '/api/v1/dsync/users')
      for (const state of await target.db('pg_stat_activity').whereRaw('datname = current_database()').pluck<string[]>('state'))
        states.add(state);
    if (path === '/api/health') return [200, { version }];
    if (key !== 'Api-Key the-key') return [401, { error: { message: 'Unauthorized' } }];
    const list = lists[path];
    const [offset, limit] = [Number(query.get('pageOffset')), Number(query.get('pageLimit'))];
    // DB_PAGE_LIMIT is 20.
    return list ? [200, { data: list.slice(offset, offset + Math.min(limit, 20)), error: null }] : [404, {}];
  });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const rejected = await importFrom(url, target.url, ['--source-api-key', 'wrong', '--product', 'crm']);
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('rejects --source-api-key. Nothing was written.')]);
    const { report } = await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm']);
    expect(report!.directories).toMatchObject([
      {
        id: directory.id,
        status: 'imported',
        users: { read: 120, imported: 120 },
        groups: { imported: 1 },
        memberships: { imported: 120 },
      },
    ]);
    expect(report!.directories[0]!.checksums!.target).toEqual(report!.directories[0]!.checksums!.source);
    // Lists of Polis and of Rollcall are newest first.
    expect(await target.db('users').where({ directory_id: directory.id }).orderBy('created_at', 'desc').pluck('id')).toEqual(
      users.map(({ id }) => id),
    );
    expect(await target.db('group_members').where({ directory_id: directory.id }).orderBy('position', 'desc').pluck('member_id')).toEqual(
      users.map(({ id }) => id),
    );
    expect(report!.setup_links).toMatchObject({ read: 1, imported: 1, unreadable: [] });
    expect(await target.db('users').where({ directory_id: directory.id }).first('resource')).toMatchObject({
      resource: { badge: '9007199254740993' },
    });
    // A connection of a pool would be closed if Polis took long to respond.
    expect(states).toContain('idle in transaction');
    expect((await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm'])).report!.directories).toMatchObject([
      { status: 'unchanged' },
    ]);
    version = '26.3.0';
    const tooNew = await importFrom(url, target.url, ['--source-api-key', 'the-key', '--product', 'crm']);
    expect([tooNew.code, tooNew.stderr]).toEqual([
      1,
      expect.stringContaining('is version 26.3, and this version of Rollcall reads versions up to 26.2'),
    ]);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

type Respond = (path: string, query: URLSearchParams, key: string | undefined) => Promise<[status: number, body: object]>;

async function serve(respond: Respond): Promise<Server> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://127.0.0.1');
    void respond(pathname, searchParams, request.headers.authorization).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body).replaceAll(/"the number (\d+)"/g, '$1')),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
