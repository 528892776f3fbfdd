import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from '@jest/globals';
import { StartupError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { findTemporal } from '../../src/embedded/temporal.ts';

async function place(file: string, mode = 0o755): Promise<string> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, mode);
  return file;
}

it('uses TEMPORAL_BINARY first, then PATH, then the binary that prepare keeps', async () => {
  await using folder = await temporaryFolder();
  const root = folder.at('root');
  const path = `${folder.at('empty')}:${folder.at('bin')}`;
  const kept = await place(folder.at('root/.rollcall/bin/temporal'));
  expect(await findTemporal({ path, root })).toBe(kept);
  const installed = await place(folder.at('bin/temporal'));
  expect(await findTemporal({ path, root })).toBe(installed);
  const named = await place(folder.at('elsewhere/temporal-dev'));
  expect(await findTemporal({ binary: named, path, root })).toBe(named);
});

it('ignores a file on PATH that is not executable, and a folder of that name', async () => {
  await using folder = await temporaryFolder();
  await place(folder.at('a/temporal'), 0o644);
  await mkdir(folder.at('b/temporal'), { recursive: true });
  const usable = await place(folder.at('c/temporal'));
  expect(await findTemporal({ path: ['a', 'b', 'c'].map((name) => folder.at(name)).join(':'), root: folder.path })).toBe(usable);
});

it('says what to do if there is none', async () => {
  await using folder = await temporaryFolder();
  const finding = findTemporal({ path: undefined, root: folder.path });
  await expect(finding).rejects.toBeInstanceOf(StartupError);
  await expect(finding).rejects.toThrow('TEMPORAL_ADDRESS');
});

it('says what is wrong with TEMPORAL_BINARY', async () => {
  await using folder = await temporaryFolder();
  const plain = await place(folder.at('plain'), 0o644);
  await expect(findTemporal({ binary: plain, root: folder.path })).rejects.toThrow(`${plain} is not executable`);
  await expect(findTemporal({ binary: folder.at('missing'), root: folder.path })).rejects.toThrow(/missing is not a file/);
});
