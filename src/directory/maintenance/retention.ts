import { lowestId } from '../../ids.ts';
import type { AuditStore } from '../../audit/ports.ts';
import type { RecordedRequestStore } from '../recorded-requests/recorded-request.ts';

/** Deletes data older than the retention period of the delivery log. */
export interface RetentionStore {
  /** Deletes settled deliveries with their attempts; returns how many. */
  dropDeliveries(keptMs: number, limit: number): Promise<number>;
  /**
   * Deletes delivered events of the next directories, in the order of their IDs. `after` is where the next round continues; undefined at the
   * end. A directory with more rows is visited again.
   */
  dropEvents(
    keptMs: number,
    round: { after: string; directories: number; rows: number },
  ): Promise<{ count: number; after: string | undefined }>;
  dropReplays(keptMs: number): Promise<number>;
}

/** Deletes the oldest entries of the audit log in small steps. `keepMs` unset: they are kept forever. */
export async function applyAuditRetention(
  { dropExpired }: Pick<AuditStore, 'dropExpired'>,
  keepMs: number | undefined,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  let dropped = 0;
  for (let count = rowsPerStep; keepMs !== undefined && count === rowsPerStep && !signal.aborted; dropped += count)
    count = await dropExpired(keepMs, rowsPerStep);
  return dropped;
}

/** Deletes the oldest recorded requests in small steps. `keepMs` unset: the newest of each directory are kept forever. */
export async function applyRequestRetention(
  { dropExpired }: Pick<RecordedRequestStore, 'dropExpired'>,
  keepMs: number | undefined,
  { signal }: { signal: AbortSignal },
): Promise<number> {
  let dropped = 0;
  for (let count = requestsPerStep; keepMs !== undefined && count === requestsPerStep && !signal.aborted; dropped += count)
    count = await dropExpired(keepMs, requestsPerStep);
  return dropped;
}

/** A row may have a body of several kilobytes. */
const requestsPerStep = 500;
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
  for (let after: string | undefined = lowestId; after !== undefined && !signal.aborted;) {
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

/** What one directory keeps above its quota of history. Each field is a position in a running total of bytes: rows up to it are deleted. */
export interface Surplus {
  directoryId: string;
  /** Events of a directory without a webhook that were not fetched. They are marked as read. */
  unread?: number;
  /** Delivered events. */
  events?: number;
  /** Settled deliveries with their attempts. */
  deliveries?: number;
  /** Outcomes of changes. */
  outcomes?: number;
}

/** Processes at most `rows` rows. Returns whether there may be more. */
type TrimStep = (directoryId: string, upTo: number, rows: number) => Promise<boolean>;

export interface TrimStore {
  /** The next directories in the order of their IDs. `after` is where the next page begins; undefined at the end. */
  findSurplus(page: { after: string; limit: number }): Promise<{ found: Surplus[]; after: string | undefined }>;
  countAsRead: TrimStep;
  dropEvents: TrimStep;
  dropDeliveries: TrimStep;
  dropOutcomes: TrimStep;
}

const directoriesPerPage = 500;

/** Deletes history above the quota in small steps, so that other transactions do not wait for locks. The next run continues after a timeout. */
export async function trimHistory(store: TrimStore, { timeoutMs = 30_000, now = Date.now } = {}): Promise<void> {
  const until = now() + timeoutMs;
  for (let after: string | undefined = lowestId; after !== undefined && now() < until;) {
    const page: Awaited<ReturnType<TrimStore['findSurplus']>> = await store.findSurplus({ after, limit: directoriesPerPage });
    for (const { directoryId, ...upTo } of page.found) {
      const steps: [TrimStep, number | undefined][] = [
        [store.countAsRead, upTo.unread],
        [store.dropEvents, upTo.events],
        [store.dropDeliveries, upTo.deliveries],
        [store.dropOutcomes, upTo.outcomes],
      ];
      for (const [step, total] of steps) while (total !== undefined && now() < until && (await step(directoryId, total, rowsPerStep)));
    }
    ({ after } = page);
  }
}
