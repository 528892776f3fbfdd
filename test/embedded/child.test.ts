import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { StartupError } from '../../src/errors.ts';
import { startChild } from '../../src/embedded/child.ts';
import { listProcessTree, readProcessIdentity, runCommand, signalAll } from '../../src/embedded/processes.ts';
import { until } from '../support/until.ts';

it('reports in one sentence why a server ended before it was ready', async () => {
  const starting = startChild({ name: 'The server', command: ['sh', '-c', 'echo first; echo no room >&2; exit 3'], isReady: () => false });
  await expect(starting).rejects.toBeInstanceOf(StartupError);
  await expect(starting).rejects.toThrow(/ 3 .*no room/);
});

it('stops a server that is not ready in time', async () => {
  let started = 0;
  const starting = startChild({
    name: 'The server',
    command: ['sleep', '60'],
    isReady: (pid) => {
      started = pid;
      return false;
    },
    readyTimeoutMs: 100,
  });
  await expect(starting).rejects.toThrow('100 ms');
  expect(await readProcessIdentity(started)).toBeUndefined();
});

it('passes none of our variables to a server', async () => {
  process.env['API_KEYS'] = 'a secret of ours';
  const child = await startChild({ name: 'The server', command: ['sleep', '60'], isReady: () => true });
  try {
    const variables = (await readFile(`/proc/${child.pid}/environ`, 'utf8')).split('\0').map((variable) => variable.split('=')[0]);
    expect(variables).toContain('PATH');
    expect(variables).not.toContain('API_KEYS');
    expect((await runCommand(['env'])).output).not.toContain('a secret of ours');
  } finally {
    delete process.env['API_KEYS'];
    await child.kill();
  }
});

it('does not let a server outlive a killed Node process', async () => {
  const childPath = join(packageRoot, 'dist/src/embedded/child.js');
  const script = `
    const { startChild } = await import(${JSON.stringify(childPath)});
    const { pid } = await startChild({ name: 'x', command: ['sleep', '60'], isReady: () => true });
    console.log(pid);
    setInterval(() => undefined, 1000);`;
  const node = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  node.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const pid = Number(await until(() => output));
  expect(await readProcessIdentity(pid)).toBeDefined();
  node.kill('SIGKILL');
  await until(async () => (await readProcessIdentity(pid)) === undefined);
});

it.each(['kill', 'stop'] as const)('leaves nothing of a frozen server after `%s`', async (end) => {
  // Its children have their own sessions, like those of Postgres.
  const command = ['sh', '-c', 'setsid sleep 60 & setsid sleep 60 & wait'];
  const child = await startChild({ name: 'The server', command, isReady: () => true, killAfterSeconds: 1 });
  const tree = await until(async () => {
    const pids = await listProcessTree(child.pid);
    return pids.length === 3 && pids;
  });
  signalAll(tree, 'SIGSTOP');
  // A process that is not frozen yet would still handle the signal.
  await until(async () => (await Promise.all(tree.map(isFrozen))).every(Boolean));
  await child[end]();
  // A killed process may need a moment to end.
  await until(async () => (await Promise.all(tree.map(readProcessIdentity))).every((identity) => identity === undefined), {
    timeoutMs: 10_000,
  });
});

const isFrozen = async (pid: number) => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(' T ');
