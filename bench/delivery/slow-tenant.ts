import { printTarget, formatNumber, startTable } from '../support/table.ts';
import { createClient, type Client } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories, type BenchDirectory } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { median } from '../support/statistics.ts';
import { startDelivering } from './rollcall.ts';
import { createTimes, pushOne, untilAllArrived } from './times-to-arrive.ts';

const otherDirectories = 20;
const pausesMs = 250;

/** Measures twenty busy directories with and without another directory whose receiver takes 2 s. Each has a change every quarter of a second. */
export async function measureSlowTenant(servers: Servers, { seconds, rounds }: Options, cleanup: Cleanup): Promise<object> {
  console.log('\nThe same for 20 busy directories, with and without another directory whose receiver takes 2 s per webhook:\n');
  const rollcall = await startDelivering(servers, cleanup, { name: 'other-tenant' });
  let times = createTimes();
  const receiver = await startReceiver(cleanup, { onEvent: (id, atMs) => times.arrived(id, atMs) });
  const slow = await startReceiver(cleanup, { delayMs: 2_000 });
  const directories = await createDirectories({ ...rollcall, count: otherDirectories, webhookUrl: receiver.url });
  const [slowDirectory] = await createDirectories({ ...rollcall, count: 1, webhookUrl: slow.url });
  const [fast] = await createDirectories({ ...rollcall, count: 1, webhookUrl: receiver.url });
  const client = createClient({ baseUrl: rollcall.baseUrl, connections: otherDirectories + 1, signal: cleanup.signal });
  const print = startTable(['', 'p50 ms', 'p95 ms'].map((title) => ({ title, width: 14 })));
  const measured: Record<'with' | 'without', { p50Ms: number; p95Ms: number }[]> = { without: [], with: [] };
  await measure(client, [...directories, fast!], 2);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, other] of [
      ['without', fast!],
      ['with', slowDirectory!],
    ] as const) {
      const summary = await measure(client, [...directories, other], seconds * 2);
      measured[name].push(summary);
    }
  }
  const of = (name: 'with' | 'without', figure: 'p50Ms' | 'p95Ms') => median(measured[name].map((summary) => summary[figure]));
  for (const name of ['without', 'with'] as const) print([`${name} it`, formatNumber(of(name, 'p50Ms')), formatNumber(of(name, 'p95Ms'))]);
  const ratio = median(measured.with.map(({ p95Ms }, round) => p95Ms / measured.without[round]!.p95Ms));
  await client.close();
  await rollcall.stop();
  console.log('');
  printTarget({ title: 'p95 of others, to no slow receiver', value: ratio, relation: '<', bound: 1.2, unit: 'x' });
  return { measured, ratio };

  /** The last directory sends changes too, but is not measured. */
  async function measure(sender: Client, all: BenchDirectory[], forSeconds: number) {
    times = createTimes();
    const ignored = createTimes();
    const until = performance.now() + forSeconds * 1000;
    const push = async (directory: BenchDirectory, index: number) => {
      await wait(Math.random() * pausesMs);
      while (performance.now() < until) {
        await pushOne(sender, directory, index < otherDirectories ? times : ignored);
        await wait(pausesMs);
      }
    };
    await Promise.all(all.map(push));
    await untilAllArrived(times, cleanup.signal);
    return times.summarise();
  }

  async function wait(ms: number) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    cleanup.signal.throwIfAborted();
  }
}
