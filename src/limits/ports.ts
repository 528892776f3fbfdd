/** Time is counted in slots: a window is the newest of them and those before it. */
export interface Series {
  key: string;
  slotMs: number;
  /** The number of the newest slot, counted from 1970. */
  newest: number;
  slots: number;
}

/** Where requests are counted. */
export interface Counters {
  /** Counts a request in the newest slot of each series, and says what stands in each of its slots, the newest first. */
  add(series: Series[]): Promise<number[][]>;
  /** For a request that was refused: as if it had not been counted. */
  takeBack(series: Series[]): Promise<void>;
}

/** Who has a resource in hand. */
export interface Leases {
  /** The id of the new lease; undefined while another one holds. It ends by itself after the given time. */
  take(key: string, forMs: number): Promise<string | undefined>;
  /** Whether there was such a lease. */
  release(id: string): Promise<boolean>;
}

/** A burst limit in requests per second and a sustained one in requests per minute. Both hold. */
export interface Limit {
  rps: number;
  rpm: number;
}
