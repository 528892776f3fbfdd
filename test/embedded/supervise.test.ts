import { expect, it } from '@jest/globals';
import { startChild } from '../../src/embedded/child.ts';
import { readProcessIdentity } from '../../src/embedded/processes.ts';
import { supervise } from '../../src/embedded/supervise.ts';
import { until } from '../support/until.ts';

const sleeper = () => startChild({ name: 'The sleeper', command: ['sleep', '60'], isReady: () => true });
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
  const begun = { again: false };
  const start = async (signal: AbortSignal) => {
    attempts += 1;
    if (attempts === 1) return sleeper();
    begun.again = true;
    return startChild({ name: 'The sleeper', command: ['sleep', '60'], isReady: () => false, signal });
  };
  const server = await supervise({ name: 'The sleeper', start, log: () => undefined });
  process.kill(server.pid(), 'SIGKILL');
  await until(() => begun.again);
  await server.stop();
  expect(attempts).toBe(2);
});
