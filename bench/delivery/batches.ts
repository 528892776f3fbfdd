import { setTimeout as sleep } from 'node:timers/promises';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { request } from 'undici';
import { deliveryWorkflowId } from '../../src/temporal/names.ts';
import { printTarget, formatNumber, startTable } from '../support/table.ts';
import { createClient } from '../support/client.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { createDirectories, type BenchDirectory } from '../support/directories.ts';
import { createLoad, createUserSource } from '../support/load.ts';
import type { Options } from '../support/options.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import type { Servers } from '../support/servers.ts';
import { startPolis } from '../support/sides.ts';
import { fillByBulk, startDelivering, type DeliveringRollcall } from './rollcall.ts';

const events = 5_000;
/** Polis reads at most this many at a time, whatever its setting is. */
const batchSize = 50;

interface Delivered {
  perSecond: number;
  requests: number;
}

/** Delivers the queued events of one directory, from the request that triggers it to the last event received. */
export async function measureBatches(servers: Servers, { sides }: Options, cleanup: Cleanup): Promise<object> {
  console.log(`\n${events} events of one directory, delivered in batches of ${batchSize}:\n`);
  const print = startTable(['', 'events/s', 'requests', 'history', 'activities'].map((title) => ({ title, width: 10 })));
  const setting = { DSYNC_WEBHOOK_BATCH_SIZE: String(batchSize) };

  const receiver = await startReceiver(cleanup, { onEvent: () => undefined });
  const rollcall = await startDelivering(servers, cleanup, { name: 'batches', ...setting });
  const [directory] = await createDirectories({ ...rollcall, count: 1, webhookUrl: receiver.url });
  const client = createClient({ baseUrl: rollcall.baseUrl, signal: cleanup.signal });
  await fillByBulk(client, [directory!], events);
  await client.close();
  const ours = await deliver(rollcall, receiver, cleanup.signal);
  const history = await readHistory(servers, rollcall, directory!);
  await rollcall.stop();
  print(['Rollcall', formatNumber(ours.perSecond), String(ours.requests), String(history.events), String(history.activities)]);

  let theirs: Delivered | undefined;
  if (sides.includes('polis')) {
    const polis = await startPolis(servers, cleanup, setting);
    const polisReceiver = await startReceiver(cleanup, { onEvent: () => undefined });
    const directories = await createDirectories({ ...polis, count: 1, webhookUrl: polisReceiver.url });
    const load = createLoad({ baseUrl: polis.baseUrl, writers: 16, signal: cleanup.signal });
    await load.run(createUserSource(directories), { requests: events, seconds: 120 });
    await load.close();
    theirs = await deliver(polis, polisReceiver, cleanup.signal);
    await polis.stop();
    print(['polis', formatNumber(theirs.perSecond), String(theirs.requests), '', '']);
  }
  console.log('');
  printTarget({ title: 'history events', value: history.events, relation: '≤', bound: 100, unit: '' });
  printTarget({ title: 'activities', value: history.activities, relation: '≤', bound: 20, unit: '' });
  printTarget({ title: 'events/s', value: ours.perSecond, relation: '≥', bound: 1_000, unit: '' });
  if (theirs) printTarget({ title: 'events/s vs Polis', value: ours.perSecond / theirs.perSecond, relation: '≥', bound: 5, unit: 'x' });
  return { ours, history, theirs };
}

async function deliver(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  receiver: Receiver,
  signal: AbortSignal,
): Promise<Delivered> {
  const startedMs = performance.now();
  await processEvents({ baseUrl, apiKey });
  while (receiver.events() < events) {
    if (performance.now() - startedMs > 180_000) throw new Error(`Only ${receiver.events()} of ${events} events came within 3 minutes.`);
    await sleep(10, undefined, { signal });
  }
  return { perSecond: (events / (performance.now() - startedMs)) * 1000, requests: receiver.received() };
}

export async function processEvents({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<void> {
  const { statusCode, body } = await request(`${baseUrl}/api/v1/dsync/cron/process-events`, {
    method: 'POST',
    headers: { authorization: `Api-Key ${apiKey}` },
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`process-events: ${statusCode} ${text}`);
}

async function readHistory({ temporalAddress }: Servers, { environment }: DeliveringRollcall, { id }: BenchDirectory) {
  const connection = await Connection.connect({ address: temporalAddress });
  const client = new TemporalClient({ connection, namespace: environment['TEMPORAL_NAMESPACE']! });
  const { events: history } = await client.workflow.getHandle(deliveryWorkflowId(id)).fetchHistory();
  await connection.close();
  return {
    events: history?.length ?? 0,
    activities: history?.filter(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled).length ?? 0,
  };
}
