import { afterEach, expect, it } from '@jest/globals';
import { createDrainLoops, type DrainLoops } from '../../src/direct/drain-loops.ts';
import type { Drained } from '../../src/directory/delivery/drain-deliveries.ts';
import { createLogger } from '../../src/logger.ts';
import { until } from '../support/until.ts';

const lines: string[] = [];
const log = createLogger('warn', { write: (line) => void lines.push(line) });
let loops: DrainLoops;
afterEach(() => loops.stop());

/** Each drain waits until the test ends it. */
function start({ maxDrains = 10 } = {}) {
  const drains: { key: string; signal: AbortSignal; end(drained: Drained): void; fail(): void }[] = [];
  loops = createDrainLoops({
    drain: (key, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => resolve({ kind: 'more' }));
        drains.push({ key, signal, end: resolve, fail: () => reject(new Error('no database')) });
      }),
    maxDrains,
    log,
    retryMs: 1,
    idleTimeoutMs: 50,
  });
  return drains;
}

it('runs one drain at a time for each key', async () => {
  const drains = start();
  await Promise.all(['a', 'a', 'b'].map(loops.wake));
  expect(drains.map(({ key }) => key)).toEqual(['a', 'b']);
});

it('does not lose a wake that arrives during a drain', async () => {
  const drains = start();
  await loops.wake('a');
  await loops.wake('a');
  drains[0]!.end({ kind: 'drained' });
  await until(() => drains.length === 2);
  drains[1]!.end({ kind: 'drained' });
  await until(() => loops.untilIdle('a'));
  await loops.wake('a');
  expect(drains).toHaveLength(3);
});

it('continues where there is more, and after a failure of our own servers', async () => {
  const drains = start();
  await loops.wake('a');
  drains[0]!.end({ kind: 'more' });
  await until(() => drains.length === 2);
  drains[1]!.fail();
  await until(() => drains.length === 3);
});

it('runs a limited number of drains, and the others in order as places become free', async () => {
  const drains = start({ maxDrains: 2 });
  await Promise.all(['a', 'b', 'c', 'd'].map(loops.wake));
  expect(drains.map(({ key }) => key)).toEqual(['a', 'b']);
  expect(await loops.untilIdle('c')).toBe(true);
  drains[0]!.end({ kind: 'more' });
  await until(() => drains.length === 3);
  drains[1]!.end({ kind: 'drained' });
  await until(() => drains.length === 4);
  drains[2]!.end({ kind: 'drained' });
  await until(() => drains.length === 5);
  expect(drains.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'a']);
});

it('logs an outage once', async () => {
  const drains = start();
  lines.length = 0;
  await Promise.all(['a', 'b'].map(loops.wake));
  for (const drain of drains) drain.fail();
  await until(() => drains.length === 4);
  expect(lines).toHaveLength(1);
  drains[2]!.end({ kind: 'drained' });
  await until(() => loops.untilIdle(drains[2]!.key));
  drains[3]!.fail();
  await until(() => drains.length === 5);
  expect(lines).toHaveLength(2);
});

it('waits for a retry, unless it is woken', async () => {
  const drains = start();
  await loops.wake('a');
  drains[0]!.end({ kind: 'retry', delayMs: 3_600_000 });
  await until(() => loops.untilIdle('a'));
  await loops.wake('a');
  await until(() => drains.length === 2);
  drains[1]!.end({ kind: 'retry', delayMs: 1 });
  await until(() => drains.length === 3);
});

it('says whether something is in flight, and interrupts it at the end', async () => {
  const drains = start();
  await loops.wake('a');
  expect(await loops.untilIdle('a')).toBe(false);
  expect(await loops.untilIdle('b')).toBe(true);
  await loops.stop();
  expect(drains[0]!.signal.aborted).toBe(true);
  await loops.wake('a');
  expect(drains).toHaveLength(1);
});
