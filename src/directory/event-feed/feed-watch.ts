import { AppError } from '../../errors.ts';
import { isDirectoryFeed, type EventFeedStore, type Feed, type FeedNews, type Place, type TransactionPlace } from './feed.ts';

export interface FeedWatch {
  /** True once something may stand behind the place; false when the time is over, the reader has gone, or the service stops. */
  wait(feed: Feed, place: Place, options: { timeoutMs: number; signal: AbortSignal }): Promise<boolean>;
  /** Nobody waits any more, now and later. */
  stop(): void;
}

interface Waiter {
  feed: string;
  directory: { id: string; sequence: number } | undefined;
  /** Across directories: how far is known to hold nothing for him. */
  owner: { tenant: string; product: string } | undefined;
  txid: number;
  end(hasNews: boolean): void;
}

export interface FeedWatchDeps {
  store: Pick<EventFeedStore, 'look'>;
  everyMs?: number;
  maxWaiting?: number;
  /** For one directory, or for one tenant and product. */
  maxWaitingPerFeed?: number;
}

/**
 * One question for all who wait, some times a second, and none while nobody does. Postgres could notify instead, but every commit that
 * notifies takes one lock of the whole cluster, and changes would queue there.
 */
export function createFeedWatch({ store, everyMs = 200, maxWaiting = 1_000, maxWaitingPerFeed = 100 }: FeedWatchDeps): FeedWatch {
  const waiting = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;
  let isStopped = false;

  return {
    async wait(feed, place, { timeoutMs, signal }) {
      if (isStopped || signal.aborted) return false;
      if (waiting.size >= maxWaiting)
        throw new AppError('unavailable', `${maxWaiting} requests wait for events here already: ask again later, or without wait.`);
      const name = nameOf(feed);
      let beside = 0;
      for (const waiter of waiting) if (waiter.feed === name) beside += 1;
      if (beside >= maxWaitingPerFeed)
        throw new AppError(
          'rate_limited',
          `At most ${maxWaitingPerFeed} requests may wait for the same events (EVENT_WAITS_PER_DIRECTORY): ask again later, or without wait.`,
        );
      return new Promise((resolve) => {
        const leave = () => waiter.end(false);
        const timeout = setTimeout(leave, timeoutMs);
        const waiter = {
          feed: name,
          ...standing(feed, place),
          end(hasNews: boolean) {
            clearTimeout(timeout);
            signal.removeEventListener('abort', leave);
            waiting.delete(waiter);
            resolve(hasNews);
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
    if (waiting.size === 0 || isLooking || isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      isLooking = true;
      void look().finally(() => {
        isLooking = false;
        plan();
      });
    }, everyMs);
  }

  async function look() {
    const asking = [...waiting];
    if (asking.length === 0) return;
    const directoryIds = new Set(asking.flatMap(({ directory }) => (directory ? [directory.id] : [])));
    const across = asking.filter(({ directory }) => !directory);
    const sinceTxid = across.length > 0 ? across.reduce((least, { txid }) => Math.min(least, txid), Infinity) : undefined;
    try {
      const news = await store.look({ directoryIds: [...directoryIds], sinceTxid });
      for (const waiter of asking) tell(waiter, news);
    } catch {
      // Whoever waits has a time; the next look may find the database again.
    }
  }
}

const nameOf = (feed: Feed) =>
  isDirectoryFeed(feed) ? feed.directoryId.toLowerCase() : feed ? JSON.stringify([feed.tenant, feed.product]) : 'everybody';

function standing(feed: Feed, place: Place): Pick<Waiter, 'directory' | 'owner' | 'txid'> {
  if (isDirectoryFeed(feed))
    return {
      directory: { id: feed.directoryId.toLowerCase(), sequence: 'sequence' in place ? place.sequence : 0 },
      owner: undefined,
      txid: 0,
    };
  return { directory: undefined, owner: feed, txid: Number((place as TransactionPlace).txid) };
}

function tell(waiter: Waiter, { lastSequences, owners, settledTxid }: FeedNews) {
  const { directory, owner, txid } = waiter;
  if (directory) {
    // Of one that is gone the reader is told when he reads.
    if (lastSequences.get(directory.id) !== directory.sequence) waiter.end(true);
    return;
  }
  const isMeant = (them: { tenant: string; product: string }) => !owner || (owner.tenant === them.tenant && owner.product === them.product);
  if (owners === 'everybody' || owners.some((them) => them.txid > txid && isMeant(them))) waiter.end(true);
  else waiter.txid = Math.max(txid, settledTxid);
}
