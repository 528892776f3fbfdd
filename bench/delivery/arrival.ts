import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, formatNumber, startTable } from '../support/table.ts';
import { createClient } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { startDelivering } from './rollcall.ts';
import { createTimes, pushOne, untilAllArrived } from './times-to-arrive.ts';

const rows = [
  { title: 'idle', pauseMs: 2_600, pushes: 40 },
  { title: 'busy', pauseMs: 150, pushes: 200 },
];

/** Measures the latency of single changes. In an idle directory, the delivery must be woken for each. */
export async function measureArrival(servers: Servers, _options: Options, cleanup: Cleanup): Promise<object> {
  console.log('Time from the SCIM response to the receipt of the webhook, one change at a time:\n');
  const rollcall = await startDelivering(servers, cleanup, { name: 'arrival' });
  let times = createTimes();
  const receiver = await startReceiver(cleanup, { onEvent: (id, atMs) => times.arrived(id, atMs) });
  const [directory] = await createDirectories({ ...rollcall, count: 1, webhookUrl: receiver.url });
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  for (let warmUp = 0; warmUp < 10; warmUp += 1) await pushOne(client, directory!, times);
  const print = startTable([
    { title: 'directory', width: 9 },
    { title: 'changes', width: 7 },
    ...['p50', 'p95', 'max'].map((title) => ({ title: `${title} ms`, width: 6 })),
  ]);
  const figures = [];
  for (const { title, pauseMs, pushes } of rows) {
    await untilAllArrived(times, cleanup.signal);
    times = createTimes();
    for (let push = 0; push < pushes; push += 1) {
      await sleep(pauseMs, undefined, { signal: cleanup.signal });
      await pushOne(client, directory!, times);
    }
    await untilAllArrived(times, cleanup.signal);
    const summary = times.summarise();
    print([title, String(pushes), ...[summary.p50Ms, summary.p95Ms, summary.maxMs].map(formatNumber)]);
    figures.push({ title, ...summary });
  }
  await client.close();
  await rollcall.stop();
  console.log('');
  for (const { title, p50Ms, p95Ms } of figures) {
    printTarget({ title: `arrival ${title}, p50`, value: p50Ms, relation: '<', bound: 60, unit: ' ms' });
    printTarget({ title: `arrival ${title}, p95`, value: p95Ms, relation: '≤', bound: 100, unit: ' ms' });
  }
  return { figures };
}
