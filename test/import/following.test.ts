import type { Knex } from 'knex';
import { expect, it } from '@jest/globals';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { createRunRecompute } from '../../src/directory/attributes/run-recompute.ts';
import { createLogger } from '../../src/logger.ts';
import { createAttributeStore } from '../../src/store/attributes/attribute-store.ts';
import { createRecomputeStore } from '../../src/store/attributes/recompute-store.ts';
import { createChangeStore } from '../../src/store/changes/change-store.ts';
import { readKeyUsers } from '../../src/store/encryption/keys-in-use.ts';
import { createSyncRunStore } from '../../src/store/syncs/sync-run-store.ts';
import { startRollcallCommand } from '../cli/run-rollcall.ts';
import { expectUserKeys } from '../support/event-keys.ts';
import { holdWrites, importFrom, targetEnv } from '../support/import-polis.ts';
import { createPolisTables, usePolisAndTarget } from '../support/polis-tables.ts';
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

it('does not end while Polis leaves events in its queue, and delivers them with --deliver-queued, once', async () => {
  const directory = await polis.addDirectory({ tenant: 'queue', webhook: { endpoint: 'https://app.example/hooks', secret: 'a secret' } });
  const user = await polis.addUser(directory);
  const follow = async (options: string[]) => {
    const watching = startRollcallCommand(
      ['import', 'polis', '--source', polis.url, '--tenant', 'queue', '--watch', '--json', ...options],
      { env: targetEnv(target.url) },
    );
    await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
    return watching;
  };
  const events = () => target.db('stored_events').where({ directory_id: directory.id }).orderBy('sequence').pluck<string[]>('type');
  // A running Polis delivers its queue itself.
  const delivered = await polis.addEvent(directory, 'user.created', { id: user.id });
  const [plain, delivering] = [await follow([]), await follow(['--deliver-queued'])];
  expect(await events()).toEqual([]);
  await polis.db('jackson_store').where('value', 'like', `%"id":"${delivered}"%`).delete();
  await polis.addEvent(directory, 'user.updated', { id: user.id });

  plain.signal('SIGINT');
  await until(() => plain.stderr().includes('in its queue'), { timeoutMs: 60_000 });
  plain.signal('SIGINT');
  expect(await plain.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('run the import again with --deliver-queued') });
  expect(await events()).toEqual([]);
  delivering.signal('SIGINT');
  const { code, stdout } = await delivering.ended;
  expect([code, JSON.parse(stdout).directories]).toMatchObject([0, [{ id: directory.id, queued_events: 1 }]]);
  expect((await importFrom(polis.url, target.url, ['--tenant', 'queue', '--deliver-queued'])).code).toBe(0);
  expect(await events()).toEqual(['user.updated']);
  await expectUserKeys(target.db, directory.id);
}, 120_000);

const schema = [{ name: 'job_title', type: 'string', multiValued: false, required: false } as const];
const anySchema = () => Promise.resolve();

it('goes on after a schema and its recomputation, but not after a change', async () => {
  const directory = await polis.addDirectory({ tenant: 'mapped', product: 'mapped' });
  const ada = await polis.addUser(directory, { raw: { userName: 'ada', title: 'Engineer' } });
  const statusOf = async () => (await importFrom(polis.url, target.url, ['--tenant', 'mapped'])).report!.directories[0]!.status;
  expect(await statusOf()).toBe('imported');
  const [key] = await createAttributeStore(target.db).setSchema('mapped', schema, anySchema);
  const runRecompute = createRunRecompute({
    recomputes: createRecomputeStore(target.db),
    changes: createChangeStore(target.db),
    onQuotaReached: () => undefined,
    log: createLogger('silent'),
  });
  expect(await runRecompute(key!, new AbortController().signal)).toBe('done');
  const computed = () => target.db('users').where({ id: ada.id }).first('custom_attributes');
  expect(await computed()).toEqual({ custom_attributes: { job_title: 'Engineer' } });
  expect(await statusOf()).toBe('unchanged');
  await target.db('all_directories').where({ id: directory.id }).increment('revision', 1);
  await createAttributeStore(target.db).setSchema('mapped', [], anySchema);
  expect(await statusOf()).toBe('skipped');
});

it('lets a schema change while it stages, and then writes nothing', async () => {
  const directory = await polis.addDirectory({ tenant: 'staged', product: 'staged' });
  await polis.addUser(directory, { raw: { userName: 'ada', title: 'Engineer' } });
  const held = await holdWrites(target.db, directory.id);
  const importing = importFrom(polis.url, target.url, ['--tenant', 'staged']);
  await held.isWaiting();
  await createAttributeStore(target.db).setSchema('staged', schema, anySchema);
  await held.release();
  expect((await importing).report!.directories).toMatchObject([
    { status: 'failed', reason: expect.stringContaining('The attribute schema, the mapping or the role table was changed') },
  ]);
  expect((await importFrom(polis.url, target.url, ['--tenant', 'staged'])).report!.directories).toMatchObject([{ status: 'imported' }]);
  expect(await target.db('users').where({ directory_id: directory.id }).pluck('custom_attributes')).toEqual([{ job_title: 'Engineer' }]);
});

interface Identified {
  id: string;
}

/** Follows two directories of a tenant. */
async function watchTwo(tenant: string) {
  const [kept, gone] = [await polis.addDirectory({ tenant }), await polis.addDirectory({ tenant, product: 'gone' })];
  const watching = startRollcallCommand(['import', 'polis', '--source', polis.url, '--tenant', tenant, '--watch', '--json'], {
    env: targetEnv(target.url),
  });
  await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
  return { kept, gone, watching };
}

const deleteDirectory = (db: Knex, { id }: Identified) =>
  db('jackson_store').where('key', 'like', 'dsync:config:%').andWhere('value', 'like', `%${id}%`).delete();

async function expectDeleted(
  { ended }: Pick<ReturnType<typeof startRollcallCommand>, 'ended'>,
  { kept, gone }: Record<'kept' | 'gone', Identified>,
) {
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout).directories).toMatchObject([
    { id: kept.id, status: 'unchanged' },
    { id: gone.id, status: 'deleted' },
  ]);
}

it('waits for the queue before the last comparison, and then still deletes a directory that was deleted in Polis meanwhile', async () => {
  const { kept, gone, watching } = await watchTwo('waiting');
  const queued = await polis.addEvent(kept, 'user.created', {});
  watching.signal('SIGTERM');
  await until(() => watching.stderr().includes('in its queue'), { timeoutMs: 60_000 });
  await deleteDirectory(polis.db, gone);
  await polis.db('jackson_store').where('value', 'like', `%"id":"${queued}"%`).delete();
  await expectDeleted(watching, { kept, gone });
}, 120_000);

it('tries the last comparison again after an outage, and then still deletes a directory that was deleted in Polis meanwhile', async () => {
  const { kept, gone, watching } = await watchTwo('outage');
  const deletion = await polis.db.transaction();
  await deleteDirectory(deletion, gone);
  const accept = (accepts: boolean) =>
    target.db.raw(`alter database ?? allow_connections ${accepts}`, [new URL(polis.url).pathname.slice(1)]);
  await accept(false);
  try {
    watching.signal('SIGINT');
    await until(() => watching.stderr().includes('The last comparison is tried again'), { timeoutMs: 60_000 });
    await deletion.commit();
  } finally {
    await accept(true);
  }
  await expectDeleted(watching, { kept, gone });
}, 120_000);

it('deletes nothing if Polis loses all its directories at once', async () => {
  const emptied = await createPolisTables();
  try {
    const ids = [
      await emptied.addDirectory({ tenant: 'emptied' }),
      await emptied.addDirectory({ tenant: 'emptied', product: 'other' }),
    ].map(({ id }) => id);
    const watching = startRollcallCommand(['import', 'polis', '--source', emptied.url, '--watch', '--json'], {
      env: targetEnv(target.url),
    });
    await until(() => watching.stderr().includes('Following Polis'), { timeoutMs: 60_000 });
    await emptied.db('jackson_store').delete();
    await until(() => watching.stderr().includes('emptied/other: It is no longer in Polis'), { timeoutMs: 60_000 });
    watching.signal('SIGINT');
    const { stdout } = await watching.ended;
    expect(JSON.parse(stdout).directories).toMatchObject([{ status: 'skipped' }, { status: 'skipped' }]);
    expect((await target.db('directories').whereIn('id', ids)).length).toBe(2);
  } finally {
    await emptied.drop();
  }
}, 120_000);

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
  await expectUserKeys(target.db, directory.id);
  await importFrom(polis.url, target.url, ['--tenant', 'announced', '--announce']);
  expect(await target.db('stored_events').where({ directory_id: directory.id })).toHaveLength(3);
});
