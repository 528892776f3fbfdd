/** Drops what the log of webhooks has kept long enough. */
export interface RetentionStore {
  /** Settled deliveries with their attempts; says how many. */
  dropDeliveries(keptMs: number, limit: number): Promise<number>;
  /**
   * Delivered events of some directories, by their ids after one; `after` says where to go on, if anywhere. A directory that has more
   * is come to again.
   */
  dropEvents(
    keptMs: number,
    round: { after: string; directories: number; rows: number },
  ): Promise<{ count: number; after: string | undefined }>;
  dropReplays(keptMs: number): Promise<number>;
}
