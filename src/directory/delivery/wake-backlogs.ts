import type { DeliveryStore, WakeDelivery } from './ports.ts';

interface WakeBacklogsDeps {
  deliveries: Pick<DeliveryStore, 'wakeBacklogs'>;
  wakeDelivery: WakeDelivery;
  metrics: { woken(by: 'request', count: number): void };
}

const directoriesPerRound = 200;

/** Wakes these deliveries, then all others with pending events. After a crash it continues, and the sweep wakes what is in between. */
export async function wakeBacklogs({ deliveries, wakeDelivery, metrics }: WakeBacklogsDeps, directoryIds: string[]): Promise<void> {
  await Promise.all(directoryIds.map(wakeDelivery));
  metrics.woken('request', directoryIds.length);
  for (let woken = directoriesPerRound; woken === directoriesPerRound;) {
    const found = await deliveries.wakeBacklogs(directoriesPerRound);
    await Promise.all(found.map(wakeDelivery));
    woken = found.length;
    metrics.woken('request', found.length);
  }
}
