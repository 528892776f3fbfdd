import type { CountedGroup, OfDirectory } from '../ports.ts';
import type { User } from '../resources/user.ts';

/** The database writes them: there are many, and as objects they would occupy the process that accepts changes. */
interface MembershipLines {
  count: number;
  /** Each line ends with a line break. */
  text: string;
}

/** A directory as it was at one moment, readable until `close`. Pages are limited in rows and bytes. */
export interface OpenSnapshot {
  tenant: string;
  product: string;
  /** The sequence of the last event whose change is in the snapshot. */
  sequence: number;
  takenAt: Date;
  users(): AsyncIterable<OfDirectory<User>[]>;
  groups(): AsyncIterable<CountedGroup[]>;
  /** Only memberships of users: nested groups have no events. */
  memberships(): AsyncIterable<MembershipLines>;
  /** How many rows there are, for the pace. Users that are hidden are counted. */
  count(): Promise<{ users: number; groups: number; memberships: number }>;
  /** Ends the transaction. It can be called again. */
  close(): Promise<void>;
}

export interface SnapshotStore {
  /**
   * Opens a snapshot. Aborting the signal cancels its statements and closes it. `busy`: the tenant, or the deployment, already has as many open
   * snapshots as it may. Undefined if there is no such directory.
   */
  open(directoryId: string, signal: AbortSignal): Promise<OpenSnapshot | { busy: 'tenant' | 'deployment' } | undefined>;
}
