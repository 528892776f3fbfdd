import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { StartupError } from '../../src/errors.ts';
import { lockDataFolder } from '../../src/embedded/lock-data-folder.ts';
import { readProcessIdentity } from '../../src/embedded/processes.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const options = { data: 'the data', predecessorWaitMs: 200, log: () => undefined };

function startProcess() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  return { pid: child.pid!, kill: () => child.kill('SIGKILL') };
}

it('has one holder, and is available after its release', async () => {
  await using folder = await temporaryFolder();
  const file = folder.at('lock');
  const lock = await lockDataFolder({ ...options, file });
  const second = lockDataFolder({ ...options, file });
  await expect(second).rejects.toBeInstanceOf(StartupError);
  await expect(second).rejects.toThrow(`the data is in use by another Rollcall (process ${process.pid})`);
  await lock.release();
  await (await lockDataFolder({ ...options, file })).release();
  expect(await readdir(folder.path)).toEqual([]);
});

it('is ignored if its process has ended, or if another process has its number', async () => {
  await using folder = await temporaryFolder();
  const stranger = startProcess();
  await until(() => readProcessIdentity(stranger.pid));
  for (const stale of ['', '999999999 1', `${stranger.pid} 1`, 'nonsense']) {
    await writeFile(folder.at('lock'), stale);
    const lock = await lockDataFolder({ ...options, file: folder.at('lock') });
    expect(await readFile(folder.at('lock'), 'utf8')).toBe(await readProcessIdentity(process.pid));
    await lock.release();
  }
  stranger.kill();
});

it('waits while the server of a killed holder is still closing', async () => {
  await using folder = await temporaryFolder();
  const server = startProcess();
  const identity = await until(() => readProcessIdentity(server.pid));
  await writeFile(folder.at('lock'), `999999999 1\n${identity}`);
  const messages: string[] = [];
  const locking = lockDataFolder({
    ...options,
    predecessorWaitMs: 10_000,
    file: folder.at('lock'),
    log: (message) => messages.push(message),
  });
  await until(() => messages.length > 0);
  expect(messages).toEqual([`the data is in use by process ${server.pid}; waiting for it to stop.`]);
  server.kill();
  await (await locking).release();
});

it('goes to exactly one of many processes that find it stale concurrently', async () => {
  for (let round = 0; round < 20; round += 1) {
    await using folder = await temporaryFolder();
    await writeFile(folder.at('lock'), '999999999 1');
    // One process was killed while it discarded the stale lock.
    if (round % 2 === 1) await writeFile(folder.at('lock.discard'), '999999999 2');
    const lock = () => lockDataFolder({ ...options, predecessorWaitMs: 20, file: folder.at('lock') });
    const attempts = await Promise.allSettled(Array.from({ length: 16 }, lock));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(folder.path)).toEqual(['lock']);
  }
});
