/** How many hours are shown, the present one included. */
export const activityHours = 24;

const hourMs = 3_600_000;

/** Hours since 1970. */
export const hourOf = (atMs: number): number => Math.floor(atMs / hourMs);
export const startOfHour = (hour: number): Date => new Date(hour * hourMs);

/** What happened to a directory within an hour. */
export interface HourOfActivity {
  startsAt: Date;
  /** Requests of the identity provider. */
  pushes: number;
  /** Those of them that got an error. */
  rejectedPushes: number;
  events: number;
  /** Attempts of deliveries that failed. */
  failedAttempts: number;
}

/** The requests of a directory within an hour that are not stored yet. */
export interface CountedPushes {
  directoryId: string;
  hour: number;
  pushes: number;
  rejectedPushes: number;
}

/** Counts requests in memory. When there are too many directories, the newest ones are not counted. */
export function createPushCounter(maxEntries = 50_000) {
  let counted = new Map<string, CountedPushes>();
  function count({ directoryId, hour, pushes, rejectedPushes }: CountedPushes): void {
    const key = `${directoryId} ${hour}`;
    let entry = counted.get(key);
    if (!entry) {
      if (counted.size >= maxEntries) return;
      entry = { directoryId, hour, pushes: 0, rejectedPushes: 0 };
      counted.set(key, entry);
    }
    entry.pushes += pushes;
    entry.rejectedPushes += rejectedPushes;
  }
  return {
    add: ({ directoryId, atMs, status }: { directoryId: string; atMs: number; status: number }): void =>
      count({ directoryId, hour: hourOf(atMs), pushes: 1, rejectedPushes: status >= 400 ? 1 : 0 }),
    /** Adds what was taken and could not be stored. */
    putBack: (taken: CountedPushes[]): void => taken.forEach(count),
    isEmpty: () => counted.size === 0,
    takeAll(): CountedPushes[] {
      const taken = [...counted.values()];
      counted = new Map();
      return taken;
    },
  };
}
