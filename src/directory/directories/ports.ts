import type { ReportedStatus } from '../delivery/ports.ts';
import type { Directory, DirectoryChange } from './directory.ts';
import type { Page } from '../page.ts';
import type { Quota, Quotas } from '../quotas.ts';
import type { SyncState } from '../sync/sync-run.ts';

export interface DirectoryStore {
  create(directory: Directory & Pick<DirectoryChange, 'quotas'>): Promise<Directory>;
  get(id: string): Promise<Directory | undefined>;
  /** The few columns that every pushed request needs. */
  getScimAccess(id: string): Promise<ScimAccess | undefined>;
  /** The directories that match a selector. */
  findIds(selector: DirectorySelector): Promise<string[]>;
  /** Returns the newest directory first. Without a tenant or product, it returns those of all. */
  list(owner: DirectoryOwner, page: Page): Promise<Directory[]>;
  /** Default: directories of all products. */
  count(products?: string[]): Promise<number>;
  health(id: string): Promise<DirectoryHealth | undefined>;
  update(id: string, change: DirectoryChange): Promise<Directory | undefined>;
  /** Hides the directory from every read. False if there is none. */
  remove(id: string): Promise<boolean>;
}

export interface DirectoryOwner {
  tenant?: string;
  product?: string;
}

/** All given fields must match. */
export type DirectorySelector = { directoryId: string; tenant?: string; product?: string } | { tenant: string; product: string };

interface ScimAccess {
  directoryId: string;
  deactivated: boolean;
  /** All secrets that are valid now. */
  secrets: { id: string; secret: string; isUseNoted: boolean }[];
}

/** What an operator needs to see whether a directory works. */
export interface DirectoryHealth {
  lastPushAt: Date | undefined;
  /** The last error response to the identity provider. */
  lastError: { at: string; method: string; path: string; status: number; detail: string } | undefined;
  users: number;
  groups: number;
  /** How much of each quota is used. `groupMembers` is the size of the largest group. */
  used: Record<Exclude<Quota, 'searches' | 'groupsPerMember'>, number> & { groupsPerMember: number | undefined };
  ownQuotas: Partial<Quotas>;
  scimSecrets: { id: string; createdAt: Date; expiresAt: Date | undefined; lastUsedAt: Date | undefined }[];
  /** The last run of a pulled directory. */
  sync: { runId: string; state: SyncState; at: Date; lastSuccessAt: Date | undefined; error: string | undefined } | undefined;
  delivery: { status: ReportedStatus; reason: string | undefined; backlog: number; lastSuccessAt: Date | undefined };
}

/** Deletes the data of removed directories in small steps. */
export interface DeletionStore {
  /** Returns whether there is more to delete. */
  deleteSome(directoryId: string, limit: number): Promise<boolean>;
  /** Deletions that have made no progress for a while. */
  findUnfinished(limit: number): Promise<string[]>;
}
