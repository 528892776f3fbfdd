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
