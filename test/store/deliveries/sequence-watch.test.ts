import { afterAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/store/database.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { openBreakingProxy } from '../../support/breaking-proxy.ts';
import { holder, setUpDrain } from '../../support/drain.ts';
import { until } from '../../support/until.ts';

const drained = setUpDrain();
const stopping = new AbortController();
afterAll(() => stopping.abort());

/** A directory whose drain waits for events. */
async function beginWatch() {
  const { db, directoryId } = drained;
  await drained.store.takeLane(directoryId, holder);
  await db('webhook_endpoints').where({ directory_id: directoryId }).update({ wake: true });
  return directoryId;
}

const wait = { timeoutMs: 60_000, signal: new AbortController().signal };

it('notices an event although the connection of its query goes silent', async () => {
  const proxy = await openBreakingProxy(drained.url);
  const db = openDatabase(proxy.url, { poolSize: 2 });
  const directoryId = await beginWatch();
  proxy.breakAt('hasReplay', 'silence');
  const seen = createSequenceWatch(db, stopping.signal).waitFor(directoryId, 0, wait);
  await until(() => proxy.hasBroken());
  await drained.push(1);
  const startedAtMs = performance.now();
  expect(await seen).toBe(1);
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  proxy.close();
  await db.destroy();
}, 60_000);

it('wakes only the waiters that have not seen the event, and all of them when the flag is lowered', async () => {
  const directoryId = await beginWatch();
  await drained.push(1);
  const watch = createSequenceWatch(drained.db, stopping.signal);
  const [behind, upToDate] = [0, 1].map((after) => watch.waitFor(directoryId, after, wait));
  expect(await behind).toBe(1);
  await drained.push(1);
  expect(await upToDate).toBe(2);
  const last = watch.waitFor(directoryId, 2, wait);
  await drained.db('webhook_endpoints').where({ directory_id: directoryId }).update({ wake: false });
  expect(await last).toBe('ended');
});
