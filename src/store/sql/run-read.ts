import type { Knex } from 'knex';
import { AppError } from '../../errors.ts';
import { type DatabaseOptions, divideConnections, openDatabase } from '../database.ts';
import { createReadOwnSearchLimit } from '../directories/quotas.ts';
import { createFairSemaphore } from '../../shared/fair-semaphore.ts';
import { createStatementScope, currentScope } from './statement-scope.ts';

/**
 * The cost of a read. `few`: some rows that an index finds. `page`: a page of rows, or any number of rows that an index finds. `search`: every
 * row of the directory is checked.
 */
export type ReadCost = 'few' | 'page' | 'search';

interface Read {
  cost: ReadCost;
  directoryId: string;
  /** A share of its own beside that of the directory's other reads. */
  share?: string;
  /**
   * Aborts when the caller disconnects. Only reads of a request that also writes need it:
   * all others run in a statement scope that ends then.
   */
  signal?: AbortSignal | undefined;
  /** The caller cannot reduce the work, so a read that takes too long fails with 503 instead of 400. */
  isBounded?: boolean;
  /** How the caller can reduce the work, as a sentence. */
  hint?: string;
}

/**
 * Runs a read within its directory's concurrency limit and the time limits. Cancels it in
 * Postgres when the caller leaves or a limit is reached.
 */
export type RunRead = <Found>(read: Read, query: (db: Knex) => Promise<Found>) => Promise<Found>;

type CountSearches = { countSearches(directoryId: string): number };

interface ReadPools {
  db: Knex;
  /** Connections for searches only, so that reads that an index serves always get a connection. */
  searches: Knex;
  /** The pool size of each. */
  sizes: { db: number; searches: number };
}

export interface ReadLimits {
  /** The total time that a caller waits. */
  timeoutMs: number;
  searchTimeoutMs: number;
  searchesPerDirectory: number;
  searchesWaitingPerDirectory: number;
  /** Reads the directory's own limit, which replaces `searchesPerDirectory`. */
  readOwnLimit?: (directoryId: string) => Promise<number | undefined>;
}

interface OpenReadPoolsOptions extends Pick<DatabaseOptions, 'pooler' | 'connectTimeoutMs'> {
  /** The connections of both pools together. */
  poolSize: number;
  limits: Omit<ReadLimits, 'readOwnLimit'>;
}

/** Opens the pools of a server, for searches and for everything else. */
export function openReadPools(url: string, { poolSize, limits, ...options }: OpenReadPoolsOptions) {
  const sizes = divideConnections(poolSize);
  const db = openDatabase(url, { ...options, poolSize: sizes.db });
  // A search that is not canceled in time, because this process died, ends a second later; behind a pooler, after the timeout of the role.
  const statementTimeoutMs = limits.searchTimeoutMs + 1_000;
  const searches = openDatabase(url, { ...options, poolSize: sizes.searches, statementTimeoutMs });
  return {
    db,
    runRead: createRunRead({ db, searches, sizes }, { ...limits, readOwnLimit: createReadOwnSearchLimit(db) }),
    async close() {
      await Promise.all([db.destroy(), searches.destroy()]);
    },
  };
}

const queryCanceled = '57014';

export function createRunRead({ db, searches, sizes }: ReadPools, limits: ReadLimits): RunRead & CountSearches {
  const { timeoutMs, searchTimeoutMs, searchesPerDirectory, searchesWaitingPerDirectory, readOwnLimit } = limits;
  const pools = {
    page: {
      db,
      slots: createFairSemaphore({
        name: 'reads',
        concurrency: Math.max(1, Math.floor(sizes.db / 2)),
        perDirectory: Math.max(1, Math.floor(sizes.db / 4)),
        maxWaiting: 1_000,
        maxWaitingPerDirectory: 100,
      }),
    },
    search: {
      db: searches,
      slots: createFairSemaphore({
        name: 'searches',
        concurrency: sizes.searches,
        perDirectory: searchesPerDirectory,
        maxWaiting: 50 * searchesWaitingPerDirectory,
        maxWaitingPerDirectory: searchesWaitingPerDirectory,
        setting: 'SEARCHES_WAITING_PER_DIRECTORY',
        settingForAll: '50 times SEARCHES_WAITING_PER_DIRECTORY',
      }),
    },
  };

  const runRead: RunRead = async ({ cost, directoryId, share, signal, isBounded, hint }, query) => {
    if (cost === 'few') return query(db);
    const pool = pools[cost];
    const tooSlow = isBounded ? () => overloaded(searchTimeoutMs, 'SEARCH_TIMEOUT_MS') : () => searchTooSlow(hint);
    const ending = new AbortController();
    const endFor = (reason: () => unknown) => () => ending.abort(reason());
    const leave = endFor(() => signal?.reason);
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave);
    const unlink = currentScope()?.onEnd((reason) => ending.abort(reason));
    const timers = [
      setTimeout(
        endFor(() => overloaded(timeoutMs, 'SCIM_TIMEOUT_MS')),
        timeoutMs,
      ),
    ];
    try {
      const ownLimit = cost === 'search' && share === undefined ? await readOwnLimit?.(directoryId) : undefined;
      const exit = await pool.slots.enter(share === undefined ? directoryId : `${share} of ${directoryId}`, ending.signal, ownLimit);
      timers.push(setTimeout(endFor(tooSlow), searchTimeoutMs));
      const scope = createStatementScope();
      ending.signal.addEventListener('abort', () => scope.end(ending.signal.reason as Error));
      if (ending.signal.aborted) scope.end(ending.signal.reason as Error);
      // The slot is released when Postgres has finished, which may be after the response.
      return await scope.run(() => query(pool.db).finally(exit));
    } catch (error) {
      // The statement timeout of the connection or its role applies if this process did not cancel in time.
      throw (error as { code?: unknown }).code === queryCanceled ? tooSlow() : error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
      unlink?.();
    }
  };
  return Object.assign(runRead, { countSearches: pools.search.slots.count });

  function searchTooSlow(hint = searchHint) {
    return new AppError(
      'invalid_request',
      `This search takes longer than the ${searchTimeoutMs} ms that SEARCH_TIMEOUT_MS allows. ${hint}`,
      { scimType: 'tooMany' },
    );
  }
}

const searchHint = 'Use fewer comparisons, no sortBy, or compare id, userName, externalId, displayName or emails with eq.';
const overloaded = (ms: number, setting: string) =>
  new AppError('unavailable', `Too many reads are in progress: this one takes longer than the ${ms} ms that ${setting} allows; try again.`);
