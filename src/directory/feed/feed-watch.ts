import { AppError } from '../../errors.ts';
import {
  isDirectoryFeed,
  type EventFeedStore,
  type Feed,
  type FeedUpdates,
  type OwnerFeed,
  type Place,
  type TransactionPlace,
} from './ports.ts';

export interface FeedWatch {
  /** True when there may be events after the place. False after the timeout, when the reader disconnects, or when the service stops. */
  wait(feed: Feed, place: Place, options: { timeoutMs: number; signal: AbortSignal }): Promise<boolean>;
  /** Ends all waits, and rejects later ones. */
  stop(): void;
}

interface Waiter {
  feed: string;
  directory: { id: string; sequence: number } | undefined;
  /** It is set only for feeds across directories. */
  owner: OwnerFeed;
  txid: number;
  end(hasNewEvents: boolean): void;
}

interface FeedWatchDeps {
  store: Pick<EventFeedStore, 'poll'>;
  everyMs?: number;
  maxWaiting?: number;
  /** Requests that wait for one directory, or for one tenant and product. */
  maxWaitingPerFeed?: number;
}

/**
 * Polls Postgres for all waiting requests with one query, several times a second, and not at all while none waits. LISTEN/NOTIFY would make
 * changes queue: every commit that notifies takes a lock of the whole cluster.
 */
export function createFeedWatch({ store, everyMs = 200, maxWaiting = 1_000, maxWaitingPerFeed = 100 }: FeedWatchDeps): FeedWatch {
  const waiting = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let isStopped = false;

  return {
    async wait(feed, place, { timeoutMs, signal }) {
      if (isStopped || signal.aborted) return false;
      if (waiting.size >= maxWaiting)
        throw new AppError(
          'unavailable',
          `At most ${maxWaiting} requests may wait for events in this process (fixed limit): try again later, or without wait.`,
        );
      const name = nameOf(feed);
      let sameFeed = 0;
      for (const waiter of waiting) if (waiter.feed === name) sameFeed += 1;
      if (sameFeed >= maxWaitingPerFeed)
        throw new AppError(
          'rate_limited',
          `At most ${maxWaitingPerFeed} requests may wait for the same events (EVENT_WAITS_PER_DIRECTORY): try again later, or without wait.`,
        );
      return new Promise((resolve) => {
        const leave = () => waiter.end(false);
        const timeout = setTimeout(leave, timeoutMs);
        const waiter = {
          feed: name,
          ...toTarget(feed, place),
          end(hasNewEvents: boolean) {
            clearTimeout(timeout);
            signal.removeEventListener('abort', leave);
            waiting.delete(waiter);
            resolve(hasNewEvents);
          },
        };
        signal.addEventListener('abort', leave);
        waiting.add(waiter);
        plan();
      });
    },

    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const waiter of waiting) waiter.end(false);
    },
  };

  function plan() {
    if (waiting.size === 0 || isPolling || isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      isPolling = true;
      void poll().finally(() => {
        isPolling = false;
        plan();
      });
    }, everyMs);
  }

  async function poll() {
    const asking = [...waiting];
    if (asking.length === 0) return;
    const directoryIds = new Set(asking.flatMap(({ directory }) => (directory ? [directory.id] : [])));
    const across = asking.filter(({ directory }) => !directory);
    const sinceTxid = across.length > 0 ? across.reduce((least, { txid }) => Math.min(least, txid), Infinity) : undefined;
    try {
      const news = await store.poll({ directoryIds: [...directoryIds], sinceTxid });
      for (const waiter of asking) notify(waiter, news);
    } catch {
      // The next poll may reach the database again; each wait has a timeout.
    }
  }
}

const nameOf = (feed: Feed) =>
  isDirectoryFeed(feed) ? feed.directoryId.toLowerCase() : feed ? JSON.stringify([feed.tenant, feed.product]) : 'all';

function toTarget(feed: Feed, place: Place): Pick<Waiter, 'directory' | 'owner' | 'txid'> {
  if (isDirectoryFeed(feed))
    return {
      directory: { id: feed.directoryId.toLowerCase(), sequence: 'sequence' in place ? place.sequence : 0 },
      owner: undefined,
      txid: 0,
    };
  return { directory: undefined, owner: feed, txid: Number((place as TransactionPlace).txid) };
}

function notify(waiter: Waiter, { lastSequences, owners, settledTxid }: FeedUpdates) {
  const { directory, owner, txid } = waiter;
  if (directory) {
    // A deleted directory counts as news: the next read reports it. A replica may be behind what was read from the primary.
    const last = lastSequences.get(directory.id);
    if (last === undefined || last > directory.sequence) waiter.end(true);
    return;
  }
  const { tenant, product } = owner ?? {};
  const isOwner = (them: { tenant: string; product: string }) =>
    (tenant === undefined || tenant === them.tenant) && (product === undefined || product === them.product);
  if (owners === 'all' || owners.some((them) => them.txid > txid && isOwner(them))) waiter.end(true);
  else waiter.txid = Math.max(txid, settledTxid);
}
