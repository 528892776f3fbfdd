/** What one directory keeps beyond a limit in bytes. Each field is a running total: what is not above it goes, oldest first. */
export interface Surplus {
  directoryId: string;
  /** Events that nobody has fetched from a directory without a webhook: they count as read from now on. */
  unread?: number;
  /** Delivered events. */
  events?: number;
  /** Settled deliveries with their attempts. */
  deliveries?: number;
  /** Outcomes of changes. */
  outcomes?: number;
}

/** Each step takes so many rows at most, and says whether there may be more. */
type TrimStep = (directoryId: string, upTo: number, rows: number) => Promise<boolean>;

export interface TrimStore {
  /** Of so many directories, by their ids after one; `after` says where to go on, if anywhere. */
  findSurplus(page: { after: string; limit: number }): Promise<{ found: Surplus[]; after: string | undefined }>;
  countAsRead: TrimStep;
  dropEvents: TrimStep;
  dropDeliveries: TrimStep;
  dropOutcomes: TrimStep;
}

const directoriesAtOnce = 500;
const rowsAtOnce = 2_000;

/** Little at once, so that nobody waits for a lock. What is left when the time is over goes the next time. */
export async function trimHistory(store: TrimStore, { timeoutMs = 30_000, now = Date.now } = {}): Promise<void> {
  const until = now() + timeoutMs;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined && now() < until;) {
    const page: Awaited<ReturnType<TrimStore['findSurplus']>> = await store.findSurplus({ after, limit: directoriesAtOnce });
    for (const { directoryId, ...upTo } of page.found) {
      const steps: [TrimStep, number | undefined][] = [
        [store.countAsRead, upTo.unread],
        [store.dropEvents, upTo.events],
        [store.dropDeliveries, upTo.deliveries],
        [store.dropOutcomes, upTo.outcomes],
      ];
      for (const [step, total] of steps) while (total !== undefined && now() < until && (await step(directoryId, total, rowsAtOnce)));
    }
    ({ after } = page);
  }
}
