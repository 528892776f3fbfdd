import type { RetentionStore } from './retention.ts';

const rowsAtOnce = 2_000;
const directoriesAtOnce = 200;

/** Little at once, so that nobody waits for a lock. What was not delivered is never touched. */
export async function retain(
  retention: RetentionStore,
  keepMs: number,
  { signal }: { signal: AbortSignal },
): Promise<{ deliveries: number; events: number }> {
  const dropped = { deliveries: 0, events: 0 };
  for (let count = rowsAtOnce; count === rowsAtOnce && !signal.aborted; dropped.deliveries += count) {
    count = await retention.dropDeliveries(keepMs, rowsAtOnce);
  }
  await retention.dropReplays(keepMs);
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined && !signal.aborted;) {
    const round: Awaited<ReturnType<RetentionStore['dropEvents']>> = await retention.dropEvents(keepMs, {
      after,
      directories: directoriesAtOnce,
      rows: rowsAtOnce,
    });
    dropped.events += round.count;
    ({ after } = round);
  }
  return dropped;
}
