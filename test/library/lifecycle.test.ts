import { expect, it } from '@jest/globals';
import { rollcall } from '../../src/library/index.ts';
import { startTestLibrary, toEmbedded } from '../support/library.ts';
import { everyRound } from '../support/rounds.ts';
import { ada } from '../support/service.ts';
import { until } from '../support/until.ts';

it('keeps everything for its next start, and continues counting', async () => {
  const library = await startTestLibrary();
  const { data: made } = await library.sync.directories.create({ tenant: 'acme', product: 'app' });
  await toEmbedded(library.sync, made!).handle('POST', 'users', { body: ada });
  await library.sync.stop();

  const next = await rollcall(library.options);
  const directory = toEmbedded(next, made!);
  const sequences: number[] = [];
  await directory.handle('POST', 'users', { body: { ...ada, userName: 'ben' } }, ({ sequence }) => void sequences.push(sequence));
  expect(sequences).toEqual([2]);
  await next.stop();
  await library.stop();
});

it('deactivates a directory, rotates its secret and deletes it, each with effect on the next request', async () => {
  const library = await startTestLibrary();
  const { sync } = library;
  const directory = await library.createDirectory();
  const ask = (secret = directory.secret) => directory.handle('GET', 'users', { secret });
  expect((await ask()).status).toBe(200);
  await sync.directories.update(directory.id, { deactivated: true });
  expect((await ask()).status).toBe(403);
  await sync.directories.update(directory.id, { deactivated: false });
  expect((await ask()).status).toBe(200);
  const { data: rotated } = await sync.directories.rotateScimSecret(directory.id, { overlap_seconds: 0 });
  expect([(await ask()).status, (await ask(rotated!.secret)).status]).toEqual([401, 200]);
  expect(await sync.directories.delete(directory.id)).toMatchObject({ data: {}, error: null });
  expect((await ask(rotated!.secret)).status).toBe(401);
  await until(async () => (await library.db('all_directories').where({ id: directory.id })).length === 0);
  await library.stop();
});

it.each(everyRound)('continues a deletion of a killed process, round %i', async () => {
  const library = await startTestLibrary();
  const { id } = await library.createDirectory();
  await library.sync.stop();
  await library
    .db('all_directories')
    .where({ id })
    .update({ deleting_at: library.db.raw(`now() - interval '1 minute'`) });
  const next = await rollcall(library.options);
  await until(async () => (await library.db('all_directories').where({ id })).length === 0);
  await next.stop();
  await library.stop();
});

it('has no snapshots and mirrors, which a call in this process would hold as a whole', async () => {
  const library = await startTestLibrary();
  expect(Object.keys(library.sync).filter((name) => ['readSnapshot', 'mirror'].includes(name))).toEqual([]);
  await library.stop();
});

it('reports that webhooks require Temporal', async () => {
  const library = await startTestLibrary();
  expect(await library.sync.deliveries.processQueued()).toMatchObject({
    data: null,
    error: { code: 'invalid_request', message: expect.stringContaining('temporalAddress') },
  });
  await library.stop();
});

it('finishes calls in flight when it is stopped, including callbacks, and then reports that it has stopped', async () => {
  const library = await startTestLibrary();
  const directory = await library.createDirectory();
  const dispatched: number[] = [];
  const slowly = async ({ sequence }: { sequence: number }) => {
    await new Promise((resolve) => setImmediate(resolve));
    dispatched.push(sequence);
  };
  const creates = Array.from({ length: 60 }, (_, index) =>
    directory.handle('POST', 'users', { body: { ...ada, userName: `u${index}` } }, slowly),
  );
  await library.sync.stop();
  expect((await Promise.all(creates)).map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 201));
  expect(dispatched).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  const late = await directory.handle('GET', 'users');
  expect(late.status).toBe(503);
  expect(await library.sync.directories.get(directory.id)).toMatchObject({ error: { code: 'unavailable' } });
  await library.stop();
});

it('closes what it opened if it cannot start', async () => {
  const library = await startTestLibrary();
  // Periodic work opens and closes connections of its own.
  await library.sync.stop();
  const connections = async () =>
    (await library.db.raw<{ rows: { count: number }[] }>(`select count(*) from pg_stat_activity where datname = current_database()`))
      .rows[0]!.count;
  const before = await connections();
  const settings = { DSYNC_GOOGLE_SERVICE_ACCOUNT_FILE: '/nowhere/key.json' };
  await expect(rollcall({ ...library.options, settings })).rejects.toThrow('/nowhere/key.json');
  await until(async () => (await connections()) <= before);
  await library.stop();
});

const fail = () => Promise.reject(new Error('unwell'));

it('continues after a log that throws, and a callback that fails', async () => {
  const library = await startTestLibrary({
    logTo: {
      write() {
        throw new Error('the disk is full');
      },
    },
  });
  const directory = await library.createDirectory();
  const create = (userName: string, callback: (event: { sequence: number }) => unknown) =>
    directory.handle('POST', 'users', { body: { ...ada, userName } }, callback);
  expect((await create('first', fail)).status).toBe(201);
  const dispatched: number[] = [];
  expect((await create('second', ({ sequence }) => void dispatched.push(sequence))).status).toBe(201);
  expect(dispatched).toEqual([2]);
  await library.stop();
});
