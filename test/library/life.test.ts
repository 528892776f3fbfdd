import { expect, it } from '@jest/globals';
import { rollcall } from '../../src/library/index.ts';
import { startTestLibrary, toEmbedded } from '../support/library.ts';
import { ada } from '../support/service.ts';
import { until } from '../support/until.ts';

it('keeps everything for its next start, and goes on counting where it was', async () => {
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

it('is deactivated, given a new secret and deleted, and each holds for the very next request', async () => {
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

it('goes on with a deletion that another process died over', async () => {
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

it('says that webhooks need Temporal to whoever asks for their delivery', async () => {
  const library = await startTestLibrary();
  expect(await library.sync.deliveries.processQueued()).toMatchObject({
    data: null,
    error: { code: 'invalid_request', message: expect.stringContaining('temporalAddress') },
  });
  await library.stop();
});
