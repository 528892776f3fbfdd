/** Deletes data older than the retention period of the delivery log. */
export interface RetentionStore {
  /** Deletes settled deliveries with their attempts; returns how many. */
  dropDeliveries(keptMs: number, limit: number): Promise<number>;
  /**
   * Deletes delivered events of the next directories, in the order of their ids. `after` is where the next round continues; undefined at the
   * end. A directory with more rows is visited again.
   */
  dropEvents(
    keptMs: number,
    round: { after: string; directories: number; rows: number },
  ): Promise<{ count: number; after: string | undefined }>;
  dropReplays(keptMs: number): Promise<number>;
}

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
