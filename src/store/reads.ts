import type { Knex } from 'knex';
import { AppError } from '../errors.ts';
import { createFairSlots } from '../shared/fair-slots.ts';
import { createStatementScope, currentScope } from './sql/statement-scope.ts';

/**
 * What a read may cost: `few` rows that an index finds; a `page` of rows, or all that an index finds, however many; a `search` that looks
 * at every row of the directory.
 */
export type ReadCost = 'few' | 'page' | 'search';

interface Read {
  cost: ReadCost;
  directoryId: string;
  /** Aborted once the caller has left. */
  signal?: AbortSignal | undefined;
  /** The caller cannot ask for less work: what takes too long gets 503 instead of 400. */
  isBounded?: boolean;
}

/** Runs a read within its directory's share and within the time limits, and cancels it in Postgres when its reason ends. */
export type RunRead = <Found>(read: Read, query: (db: Knex) => Promise<Found>) => Promise<Found>;

/** How many searches of a directory run now, beside the reads themselves. */
type CountSearches = { countSearches(directoryId: string): number };

export interface ReadPools {
  db: Knex;
  /** Connections of their own for searches, so that what an index serves always finds one. */
  searches: Knex;
  /** How many connections each of the two may open. */
  sizes: { db: number; searches: number };
}

export interface ReadLimits {
  /** How long a caller waits, all in all. */
  timeoutMs: number;
  searchTimeoutMs: number;
  searchesPerDirectory: number;
  searchesWaitingPerDirectory: number;
  /** A directory's own limit in place of `searchesPerDirectory`, if it has one. */
  readOwnLimit?: (directoryId: string) => Promise<number | undefined>;
}

const queryCanceled = '57014';

export function createRunRead({ db, searches, sizes }: ReadPools, limits: ReadLimits): RunRead & CountSearches {
  const { timeoutMs, searchTimeoutMs, searchesPerDirectory, searchesWaitingPerDirectory, readOwnLimit } = limits;
  const lanes = {
    page: {
      db,
      slots: createFairSlots({
        name: 'reads',
        atOnce: Math.max(1, Math.floor(sizes.db / 2)),
        perDirectory: Math.max(1, Math.floor(sizes.db / 4)),
        maxWaiting: 1_000,
        maxWaitingPerDirectory: 100,
      }),
    },
    search: {
      db: searches,
      slots: createFairSlots({
        name: 'searches',
        atOnce: sizes.searches,
        perDirectory: searchesPerDirectory,
        maxWaiting: 50 * searchesWaitingPerDirectory,
        maxWaitingPerDirectory: searchesWaitingPerDirectory,
        setting: 'SEARCHES_WAITING_PER_DIRECTORY',
      }),
    },
  };

  const runRead: RunRead = async ({ cost, directoryId, signal, isBounded }, query) => {
    if (cost === 'few') return query(db);
    const lane = lanes[cost];
    const tooSlow = isBounded ? unanswered : searchTooSlow;
    const ending = new AbortController();
    const endFor = (reason: () => unknown) => () => ending.abort(reason());
    const leave = endFor(() => signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    const unlink = currentScope()?.onEnd((reason) => ending.abort(reason));
    const timers = [setTimeout(endFor(unanswered), timeoutMs)];
    try {
      const ownLimit = cost === 'search' ? await readOwnLimit?.(directoryId) : undefined;
      const exit = await lane.slots.enter(directoryId, ending.signal, ownLimit);
      timers.push(setTimeout(endFor(tooSlow), searchTimeoutMs));
      const scope = createStatementScope();
      ending.signal.addEventListener('abort', () => scope.end(ending.signal.reason as Error));
      if (ending.signal.aborted) scope.end(ending.signal.reason as Error);
      // The slot is free again when Postgres is done, be it later than the answer.
      return await scope.run(() => query(lane.db).finally(exit));
    } catch (error) {
      // The time limit of the connection itself stands behind ours.
      throw (error as { code?: unknown }).code === queryCanceled ? tooSlow() : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      unlink?.();
    }
  };
  return Object.assign(runRead, { countSearches: lanes.search.slots.count });

  function searchTooSlow() {
    return new AppError(
      'invalid_request',
      `This search takes longer than the ${searchTimeoutMs} ms that SEARCH_TIMEOUT_MS allows. Use fewer comparisons, no sortBy, or compare id, userName, externalId, displayName or emails with eq.`,
      { scimType: 'tooMany' },
    );
  }
}

const unanswered = () => new AppError('unavailable', 'Too many reads are in progress; try again.');
