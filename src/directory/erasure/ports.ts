import type { Actor } from '../../audit/act.ts';

/** What an erasure removed, by kind. */
export type ErasedCounts = Partial<
  Record<'users' | 'memberships' | 'pending_members' | 'events' | 'undelivered_events' | 'documents' | 'deliveries' | 'requests', number>
>;

/** The erasure of a person. It contains only IDs and counts. */
export interface UserErasure {
  id: string;
  /** The ID of the user that callers see. */
  publicId: string;
  requestedAt: Date;
  finishedAt: Date | undefined;
  counts: ErasedCounts;
}

/** `wait`: an earlier sync or large change, or an older erasure of the directory, must end first. */
export type ErasureProgress = 'more' | 'wait' | 'done';

interface ErasureRequest {
  id: string;
  directoryId: string;
  /** The key of the user. */
  userId: string;
  publicId: string;
  /** Google's ID, if the erasure was requested by it. */
  requestedId?: string | undefined;
  /** The folded values by which groups may name the person. */
  valueKeys: string[];
  requestedBy: Actor;
}

export interface ErasureStore {
  /** Returns the erasure in progress, if there is one. `limit_reached`: too many erasures are in progress. */
  request(request: ErasureRequest): Promise<UserErasure | 'directory_not_found' | 'limit_reached'>;
  get(directoryId: string, userId: string): Promise<UserErasure | undefined>;
  /** The person whose erasure was requested by another ID than the user's. */
  findByRequestedId(directoryId: string, id: string): Promise<{ userId: string; publicId: string } | undefined>;
  /** The ID of an erasure whose user is not deleted yet. */
  findUndeleted(directoryId: string, userId: string): Promise<string | undefined>;
  /** Records that the user is deleted. A later push of the same person creates a new user. */
  markDeleted(directoryId: string, userId: string, counts: ErasedCounts): Promise<void>;
  /** One step of bounded size, in one transaction with its progress. The last one adds the certificate to the audit log. */
  eraseNextPart(directoryId: string, userId: string): Promise<ErasureProgress>;
  /** Erasures that have made no progress for a while. */
  findUnfinished(limit: number): Promise<UserKey[]>;
  /** Deletes erasures that ended long ago; the audit log has their certificates. */
  dropFinished(limit: number): Promise<number>;
}

export interface UserKey {
  directoryId: string;
  userId: string;
  /** A user may be erased again while the workflow of the last erasure is about to end. */
  erasureId: string;
}
