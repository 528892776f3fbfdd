import { expect, it } from '@jest/globals';
import { startChild } from '../../src/embedded/child.ts';
import { readProcessIdentity } from '../../src/embedded/processes.ts';
import { supervise } from '../../src/embedded/supervise.ts';
import { until } from '../support/until.ts';

const sleeper = () => startChild({ name: 'The sleeper', command: ['sleep', '60'], isReady: () => true });
const noFault = () => Promise.resolve(undefined);
const isGone = async (pid: number) => (await readProcessIdentity(pid)) === undefined;

it('restarts a killed server, and logs it', async () => {
  const messages: string[] = [];
  const server = await supervise({ name: 'The sleeper', start: sleeper, log: (message) => messages.push(message) });
  const first = server.pid();
  process.kill(first, 'SIGKILL');
  await until(() => server.pid() !== first && messages.length === 2);
  expect(messages).toEqual([
    expect.stringMatching(new RegExp(`^The sleeper \\(process ${first}\\) exited .* 137\\b`)),
    expect.stringMatching(new RegExp(`^The sleeper restarted.*\\b${server.pid()}\\b`)),
  ]);
  await server.kill();
  expect(await isGone(server.pid())).toBe(true);
});

it('keeps trying if a server fails to start', async () => {
  const messages: string[] = [];
  let attempts = 0;
  const start = () => {
    attempts += 1;
    return attempts === 2 ? Promise.reject(new Error('no luck')) : sleeper();
  };
  const server = await supervise({ name: 'The sleeper', start, log: (message) => messages.push(message) });
  process.kill(server.pid(), 'SIGKILL');
  await until(() => attempts === 3 && messages.length === 3);
  expect(messages[1]).toContain('no luck');
  await server.kill();
});

it('does not restart a stopped server, even if it is stopped during a restart', async () => {
  let attempts = 0;
  const begun = { again: false, ended: false };
  const start = async (signal: AbortSignal) => {
    attempts += 1;
    if (attempts === 1) return sleeper();
    begun.again = true;
    return startChild({ name: 'The sleeper', command: ['sleep', '60'], isReady: () => false, signal }).finally(() => (begun.ended = true));
  };
  const server = await supervise({ name: 'The sleeper', start, findFault: noFault, checkEveryMs: 5, log: () => undefined });
  process.kill(server.pid(), 'SIGKILL');
  await until(() => begun.again);
  await server.stop();
  expect([attempts, begun.ended]).toEqual([2, true]);
});

it('goes on if a check fails', async () => {
  const messages: string[] = [];
  const log = (message: string) => messages.push(message);
  const findFault = () => (messages.length < 2 ? Promise.reject(new Error('too many open files')) : Promise.resolve(undefined));
  const server = await supervise({ name: 'The sleeper', start: sleeper, findFault, checkEveryMs: 5, log });
  await until(() => messages.length === 2);
  expect(new Set(messages)).toEqual(new Set(['The sleeper could not be checked: too many open files']));
  await server.kill();
});

it('restarts a server that runs with a fault', async () => {
  const messages: string[] = [];
  let fault: string | undefined;
  const log = (message: string) => messages.push(message);
  const server = await supervise({ name: 'The sleeper', start: sleeper, findFault: () => Promise.resolve(fault), checkEveryMs: 20, log });
  const first = server.pid();
  fault = 'it sleeps.';
  await until(() => messages.length === 1);
  fault = undefined;
  await until(() => server.pid() !== first && messages.length === 2);
  expect(messages).toEqual([
    expect.stringMatching(new RegExp(`^The sleeper \\(process ${first}\\) is killed .*: it sleeps`)),
    expect.stringMatching(new RegExp(`^The sleeper restarted.*\\b${server.pid()}\\b`)),
  ]);
  expect(await isGone(first)).toBe(true);
  await server.kill();
});
