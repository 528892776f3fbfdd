import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { StartupError } from '../../src/errors.ts';
import { openDataFolder } from '../../src/embedded/data-folder.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { runCommand } from '../../src/embedded/processes.ts';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

it('creates an API key, an encryption key and a database password, and keeps them', async () => {
  await using folder = await temporaryFolder();
  const first = await openDataFolder(folder.at('data'));
  const second = await openDataFolder(folder.at('data'));
  expect(first.apiKeyIsNew).toBe(true);
  expect(second).toEqual({ ...first, apiKeyIsNew: false });
  expect(first.apiKey).toMatch(/^rollcall_[\w-]{43}$/);
  expect(Buffer.from(first.encryptionKey, 'base64')).toHaveLength(32);
  expect(first.postgresPassword).toMatch(/^[\w-]{32}$/);
});

it('lets no other user read them', async () => {
  await using folder = await temporaryFolder();
  await openDataFolder(folder.at('data'));
  expect(await modeOf(folder.at('data'))).toBe('700');
  for (const file of await readdir(folder.at('data'))) expect([file, await modeOf(folder.at('data', file))]).toEqual([file, '600']);
});

it('gives the same values to all processes that open a new folder concurrently', async () => {
  await using folder = await temporaryFolder();
  const opened = await Promise.all(Array.from({ length: 8 }, () => openDataFolder(folder.at('data'))));
  expect(new Set(opened.map(({ apiKey, encryptionKey, postgresPassword }) => `${apiKey} ${encryptionKey} ${postgresPassword}`)).size).toBe(
    1,
  );
  expect(opened.filter(({ apiKeyIsNew }) => apiKeyIsNew)).toHaveLength(1);
  expect((await readdir(folder.at('data'))).sort()).toEqual(['api-key', 'encryption-key', 'postgres-password']);
});

it('accepts a value that an operator wrote', async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.at('data'));
  await writeFile(folder.at('data', 'api-key'), ' chosen \n');
  expect(await openDataFolder(folder.at('data'))).toMatchObject({ apiKey: 'chosen', apiKeyIsNew: false });
  expect(await readFile(folder.at('data', 'api-key'), 'utf8')).toBe(' chosen \n');
});

it('removes the permissions of others from the folder and its content, even if it was open before', async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.at('data', 'postgres', 'base'), { recursive: true });
  await mkdir(folder.at('data', 'bin'));
  await Promise.all([
    writeFile(folder.at('data', 'temporal.db'), ''),
    writeFile(folder.at('data', 'postgres', 'base', '1'), ''),
    writeFile(folder.at('data', 'bin', 'temporal'), ''),
    symlink('/etc/hostname', folder.at('data', 'link')),
  ]);
  for (const path of ['', 'postgres', 'postgres/base', 'bin']) await chmod(folder.at('data', path), 0o777);
  for (const path of ['temporal.db', 'postgres/base/1']) await chmod(folder.at('data', path), 0o666);
  await chmod(folder.at('data', 'bin', 'temporal'), 0o755);
  await openDataFolder(folder.at('data'));
  for (const path of ['', 'postgres', 'postgres/base', 'bin', 'bin/temporal'])
    expect([path, await modeOf(folder.at('data', path))]).toEqual([path, '700']);
  for (const path of ['temporal.db', 'postgres/base/1', 'api-key'])
    expect([path, await modeOf(folder.at('data', path))]).toEqual([path, '600']);
  expect(await modeOf('/etc/hostname')).not.toBe('600');
});

/** A folder that has been used: with keys and a database. */
async function usedFolder(folder: TemporaryFolder): Promise<void> {
  await openDataFolder(folder.at('data'));
  await mkdir(folder.at('data', 'postgres'));
  await writeFile(folder.at('data', 'postgres', 'PG_VERSION'), '18\n');
}

it.each([
  ...['encryption-key', 'postgres-password', 'api-key'].flatMap((name) => [
    [name, 'missing', (file: string) => rm(file)] as const,
    [name, 'empty', (file: string) => writeFile(file, '\n')] as const,
    [name, 'damaged', async (file: string) => writeFile(file, (await readFile(file, 'utf8')).slice(0, 20))] as const,
    [name, 'a folder', (file: string) => rm(file).then(() => mkdir(file))] as const,
  ]),
  ['encryption-key', 'damaged', (file: string) => writeFile(file, 'not base64!\n')],
  ['encryption-key', 'damaged', (file: string) => writeFile(file, Buffer.alloc(16).toString('base64'))],
] as const)('fails with a sentence if %s is %s, and creates nothing', async (name, what, damage) => {
  await using folder = await temporaryFolder();
  await usedFolder(folder);
  await damage(folder.at('data', name));
  const before = await readdir(folder.at('data'));
  const opening = openDataFolder(folder.at('data'));
  await expect(opening).rejects.toBeInstanceOf(StartupError);
  await expect(opening).rejects.toThrow(`${folder.at('data', name)} is ${what}`);
  expect(await readdir(folder.at('data'))).toEqual(before);
});

it('says how to replace an API key, and uses the new one', async () => {
  await using folder = await temporaryFolder();
  await usedFolder(folder);
  await rm(folder.at('data', 'api-key'));
  const [, command] = await openDataFolder(folder.at('data')).then(
    () => [],
    ({ message }: StartupError) => /write a new one into the file \((.+?)\)/.exec(message) ?? [],
  );
  expect(await runCommand(['sh', '-c', command!])).toEqual({ code: 0, output: '' });
  expect(await openDataFolder(folder.at('data'))).toMatchObject({ apiKey: expect.stringMatching(/^[0-9a-f]{64}$/), apiKeyIsNew: false });
  expect(await modeOf(folder.at('data', 'api-key'))).toBe('600');
});

it('creates no API key for an external database if the folder was used before', async () => {
  await using folder = await temporaryFolder();
  const withDatabaseUrl = { apiKey: true, encryptionKey: true, postgresPassword: false };
  await openDataFolder(folder.at('data'), withDatabaseUrl);
  await rm(folder.at('data', 'api-key'));
  await expect(openDataFolder(folder.at('data'), withDatabaseUrl)).rejects.toThrow('api-key is missing');
});

it.each(['api-key', 'encryption-key'])('completes a folder whose first start was killed after it had created %s', async (last) => {
  await using folder = await temporaryFolder();
  const { apiKey } = await openDataFolder(folder.at('data'));
  await rm(folder.at('data', 'postgres-password'));
  if (last === 'api-key') await rm(folder.at('data', 'encryption-key'));
  expect(await openDataFolder(folder.at('data'))).toMatchObject({ apiKey, postgresPassword: expect.any(String) });
});

it('requires no file for what the configuration provides', async () => {
  await using folder = await temporaryFolder();
  await usedFolder(folder);
  for (const name of ['encryption-key', 'api-key', 'postgres-password']) await writeFile(folder.at('data', name), '');
  await openDataFolder(folder.at('data'), { encryptionKey: false, apiKey: false, postgresPassword: false });
  expect(await readFile(folder.at('data', 'encryption-key'), 'utf8')).toBe('');
});

it('says what to do about a folder that it may not use', async () => {
  await using folder = await temporaryFolder();
  await writeFile(folder.at('file'), '');
  const opening = openDataFolder(folder.at('file', 'data'));
  await expect(opening).rejects.toThrow(/file\/data .*ENOTDIR.* ROLLCALL_DATA_DIR/);
  await expect(opening).rejects.toBeInstanceOf(StartupError);
});
