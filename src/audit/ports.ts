import type { Narrowing } from '../access/narrowing.ts';
import type { Act, AuditAction, AuditEntry } from './act.ts';

/** An entry at its place in the chain. */
export interface ChainedEntry {
  position: number;
  /** The SHA-256, in hex. */
  hash: string;
  entry: AuditEntry;
}

export type ChainLink = Pick<ChainedEntry, 'position' | 'hash'>;

export interface AuditFilter extends Narrowing {
  /** The ID of an actor. */
  actor?: string | undefined;
  actions?: AuditAction[] | undefined;
  /** The ID of a target. */
  target?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
}

export interface AuditStore {
  /** Records an act that has no transaction of its own. */
  record(act: Act): Promise<void>;
  /**
   * A caller that is `narrowed` finds only entries with a target that it may know of. `after` is the position of the last entry of the previous
   * page.
   */
  list(
    filter: AuditFilter,
    narrowed: Narrowing,
    page: { order: 'asc' | 'desc'; after?: number | undefined; limit: number },
  ): Promise<ChainedEntry[]>;
  /** The last entry, and the last one that was deleted after its retention. */
  chain(): Promise<{ head: ChainLink; anchor: ChainLink }>;
  /** Deletes the oldest entries if they are older. Returns how many. */
  dropExpired(keptMs: number, limit: number): Promise<number>;
}
