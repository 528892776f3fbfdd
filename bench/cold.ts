import { setTimeout as sleep } from 'node:timers/promises';
import { processEvents } from './delivery/batches.ts';
import { fillByBulk, startDelivering } from './delivery/rollcall.ts';
import { printTarget, formatNumber, startTable } from './support/table.ts';
import { createClient } from './support/client.ts';
import type { Cleanup } from './support/cleanup.ts';
import { createDirectories } from './support/directories.ts';
import { introduce } from './support/machine.ts';
import { maxDirectories, type Options } from './support/options.ts';
import { startReceiver } from './support/receiver.ts';
import { startServers } from './support/servers.ts';

const eventsPerDirectory = 16;

const introduction = `
Many directories are woken at the same time that have no delivery workflow yet. Each has ${eventsPerDirectory} events, which are one batch. Rollcall is one process.
`;

export async function measureCold(options: Options, cleanup: Cleanup): Promise<object> {
  const machine = introduce(introduction);
  const directories = maxDirectories(options, 500);
  const events = directories * eventsPerDirectory;
  const servers = await startServers(cleanup);
  const rollcall = await startDelivering(servers, cleanup, { name: 'cold', DSYNC_WEBHOOK_BATCH_SIZE: '50' });
  const receiver = await startReceiver(cleanup, { onEvent: () => undefined });
  const created = await createDirectories({ ...rollcall, count: directories, webhookUrl: receiver.url });
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  await fillByBulk(client, created, eventsPerDirectory);
  await client.close();

  const startedMs = performance.now();
  await processEvents(rollcall);
  while (receiver.events() < events) {
    if (performance.now() - startedMs > 180_000) throw new Error(`Only ${receiver.events()} of ${events} events came within 3 minutes.`);
    await sleep(20, undefined, { signal: cleanup.signal });
  }
  const seconds = (performance.now() - startedMs) / 1000;
  await rollcall.stop();
  const print = startTable(['events/s', 'requests/s', 'seconds'].map((title) => ({ title, width: 10 })));
  print([events / seconds, receiver.received() / seconds, seconds].map(formatNumber));
  console.log('');
  printTarget({ title: `events/s from ${directories} cold directories`, value: events / seconds, relation: '≥', bound: 1_000, unit: '' });
  return { machine, directories, perSecond: events / seconds, seconds };
}
