import type { EmittedEvents } from '../event.ts';
import type { Outcome } from './mutation.ts';
import type { UserWithGroups } from '../resources/user.ts';
import type { ReadSet } from './read-set.ts';
import type { Snapshot, Writes } from './snapshot.ts';

export interface Changed {
  /** The directory's delivery was idle: the caller must wake it. */
  wake: boolean;
  /** Only from a store that was created to return events. */
  emitted?: EmittedEvents;
  /**
   * The groups of the users in `shownUsers`. Left out for a user who is in very many groups, and where this transaction changed
   * memberships.
   */
  groupsOfShown?: Record<string, UserWithGroups['groups']>;
}

interface TransactionRequest {
  directoryId: string;
  mutationIds: string[];
  /** The rows to read. */
  wanted: ReadSet;
  /** Users whose groups to return. */
  shownUsers: string[];
  maxBytes: number;
}

export interface ChangeStore {
  /**
   * One serial transaction on a directory: reads the requested rows, calls `decide`, and writes what it returns with the directory's next
   * sequence numbers. `decide` may run more than once.
   *
   * Returns `too_large` if several mutations together would read more than `maxBytes` of memory. For a single mutation above that limit
   * `decide` gets a snapshot with `isOverBudget`.
   */
  change(request: TransactionRequest, decide: (snapshot: Snapshot) => Writes | Promise<Writes>): Promise<Changed | 'gone' | 'too_large'>;
  /** The outcome of a mutation that was applied. */
  outcomeOf(directoryId: string, mutationId: string): Promise<Outcome | undefined>;
  /** Deletes outcomes that are older than any mutation that may run again; returns how many. */
  deleteOldOutcomes(limit: number): Promise<number>;
}
