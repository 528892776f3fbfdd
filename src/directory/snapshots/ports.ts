import type { CountedGroup, OfDirectory } from '../ports.ts';
import type { User } from '../resources/user.ts';

/** A user in a group, with the public IDs of both. */
interface Membership {
  groupId: string;
  userId: string;
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
  memberships(): AsyncIterable<Membership[]>;
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
