import type { RetentionStore } from './retention.ts';

const rowsPerStep = 2_000;
const directoriesPerStep = 200;

/** Deletes old deliveries, replays and delivered events, in small steps so that other transactions do not wait for locks. */
export async function applyRetention(
  retention: RetentionStore,
  keepMs: number,
  { signal }: { signal: AbortSignal },
): Promise<{ deliveries: number; events: number }> {
  const dropped = { deliveries: 0, events: 0 };
  for (let count = rowsPerStep; count === rowsPerStep && !signal.aborted; dropped.deliveries += count) {
    count = await retention.dropDeliveries(keepMs, rowsPerStep);
  }
  await retention.dropReplays(keepMs);
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined && !signal.aborted;) {
    const round: Awaited<ReturnType<RetentionStore['dropEvents']>> = await retention.dropEvents(keepMs, {
      after,
      directories: directoriesPerStep,
      rows: rowsPerStep,
    });
    dropped.events += round.count;
    ({ after } = round);
  }
  return dropped;
}
