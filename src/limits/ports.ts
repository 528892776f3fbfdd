/** Counts over time: a window consists of the newest time slot and those before it. */
export interface Series {
  key: string;
  slotMs: number;
  /** The number of the newest slot since 1970. */
  newest: number;
  slots: number;
}

/** Stores the counts of requests. */
export interface Counters {
  /**
   * Counts a request in the newest slot of each series and returns the counts of all its slots, newest first. A store in memory returns no
   * promise, because promises would cost more than the counts.
   */
  add(series: Series[]): number[][] | Promise<number[][]>;
  /** Undoes the count of a request that was rejected. */
  takeBack(series: Series[]): void | Promise<void>;
}

/** Stores leases: a resource is held by one request at a time. */
export interface Leases {
  /** Returns the ID of a new lease, or undefined if the key is held. The lease expires after the given time. */
  take(key: string, forMs: number): Promise<string | undefined>;
  /** Returns whether the lease existed. */
  release(id: string): Promise<boolean>;
}

/** A burst limit in requests per second and a sustained limit in requests per minute. Both apply. */
export interface Limit {
  rps: number;
  rpm: number;
}
