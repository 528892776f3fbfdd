import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { StartupError } from '../../src/errors.ts';
import { openDataFolder } from '../../src/embedded/data-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('makes an API key, an encryption key and a database password, and keeps them', async () => {
  await using folder = await temporaryFolder();
  const first = await openDataFolder(folder.at('data'));
  const second = await openDataFolder(folder.at('data'));
  expect(first.apiKeyIsNew).toBe(true);
  expect(second).toEqual({ ...first, apiKeyIsNew: false });
  expect(first.apiKey).toMatch(/^rollcall_[\w-]{43}$/);
  expect(Buffer.from(first.encryptionKey, 'base64')).toHaveLength(32);
  expect(first.postgresPassword).toMatch(/^[\w-]{32}$/);
});

it('lets nobody else read them', async () => {
  await using folder = await temporaryFolder();
  await openDataFolder(folder.at('data'));
  expect(await modeOf(folder.at('data'))).toBe('700');
  for (const file of await readdir(folder.at('data'))) expect([file, await modeOf(folder.at('data', file))]).toEqual([file, '600']);
});

it('gives the same values to everyone who opens a new folder at once', async () => {
  await using folder = await temporaryFolder();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openDataFolder(folder.at('data'))));
  expect(new Set(opened.map(({ apiKey, encryptionKey, postgresPassword }) => `${apiKey} ${encryptionKey} ${postgresPassword}`)).size).toBe(
    1,
  );
  expect(opened.filter(({ apiKeyIsNew }) => apiKeyIsNew)).toHaveLength(1);
  expect((await readdir(folder.at('data'))).sort()).toEqual(['api-key', 'encryption-key', 'postgres-password']);
});

it('takes a value that a person wrote there', async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.at('data'));
  await writeFile(folder.at('data', 'api-key'), ' chosen \n');
  expect(await openDataFolder(folder.at('data'))).toMatchObject({ apiKey: 'chosen', apiKeyIsNew: false });
  expect(await readFile(folder.at('data', 'api-key'), 'utf8')).toBe(' chosen \n');
});

it('says what to do about an empty file', async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.at('data'));
  await writeFile(folder.at('data', 'encryption-key'), '');
  const opening = openDataFolder(folder.at('data'));
  await expect(opening).rejects.toThrow(`${folder.at('data', 'encryption-key')} is empty: put its value back, or delete it`);
  await expect(opening).rejects.toBeInstanceOf(StartupError);
});

it('says what to do about a folder that it may not use', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.at('file'), '');
  const opening = openDataFolder(folder.at('file', 'data'));
  await expect(opening).rejects.toThrow(/^Rollcall can't keep its data in .*file\/data \(ENOTDIR\): make that folder writable, or set/);
  await expect(opening).rejects.toBeInstanceOf(StartupError);
});
