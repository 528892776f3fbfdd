import { setTimeout as sleep } from 'node:timers/promises';
import { printTarget, formatNumber, startTable } from '../support/table.ts';
import { createClient } from '../support/client.ts';
import type { Closing } from '../support/closing.ts';
import { createDirectories } from '../support/directories.ts';
import type { Options } from '../support/options.ts';
import { startReceiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { processEvents } from './batches.ts';
import { fillByBulk, startDelivering } from './rollcall.ts';

const directories = 500;
const eventsOfEach = 16;
const events = directories * eventsOfEach;

/** Wakes many directories at the same time that have no delivery workflow yet. */
export async function measureFanOut(servers: Servers, _options: Options, closing: Closing): Promise<object> {
  console.log(`\n${events} events of ${directories} directories without earlier deliveries, in batches of 50:\n`);
  const rollcall = await startDelivering(servers, closing, { name: 'fan_out', DSYNC_WEBHOOK_BATCH_SIZE: '50' });
  const receiver = await startReceiver(closing, { onEvent: () => undefined });
  const made = await createDirectories({ ...rollcall, count: directories, webhookUrl: receiver.url });
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: closing.signal });
  await fillByBulk(client, made, eventsOfEach);
  await client.close();

  const startedMs = performance.now();
  await processEvents(rollcall);
  while (receiver.events() < events) {
    if (performance.now() - startedMs > 180_000) throw new Error(`Only ${receiver.events()} of ${events} events came within 3 minutes.`);
    await sleep(20, undefined, { signal: closing.signal });
  }
  const seconds = (performance.now() - startedMs) / 1000;
  await rollcall.stop();
  const print = startTable(['events/s', 'requests/s', 'seconds'].map((title) => ({ title, width: 10 })));
  print([events / seconds, receiver.received() / seconds, seconds].map(formatNumber));
  console.log('');
  printTarget({ title: 'events/s from many directories', value: events / seconds, relation: '≥', bound: 1_000, unit: '' });
  return { perSecond: events / seconds, seconds };
}
