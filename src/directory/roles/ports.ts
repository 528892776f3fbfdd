import type { RecomputeKey, RecomputeState } from '../attributes/ports.ts';
import type { Hiding } from '../directories/hiding.ts';
import type { RoleTable } from './role-table.ts';

export interface DirectoryRoles {
  hiding: Hiding | undefined;
  /** Undefined: users have the roles that are pushed. */
  table: RoleTable | undefined;
  /** The groups that rows of the table name, by the place of the row: of several with one name, the oldest. */
  groups: Map<number, { id: string; name: string }>;
  /** The number of users. */
  users: number;
  /** The last recomputation. */
  recompute: RecomputeState | undefined;
}

export interface RoleStore {
  get(directoryId: string): Promise<DirectoryRoles | undefined>;
  /** Replaces the table, or removes it. All users are recomputed if it changes, or with `repeats`. Undefined: there is no such directory. */
  set(
    directoryId: string,
    table: RoleTable | undefined,
    /** `from`: what the table was computed from. If it is not that any more, nothing is changed, and `isStale` is true. */
    options?: { repeats?: boolean | undefined; from?: { table: RoleTable | undefined } | undefined },
  ): Promise<{ recompute: RecomputeKey | undefined; isStale?: boolean } | undefined>;
  /** The places of the rows of a table whose groups these users are in. Users in none are left out. */
  findPlaces(directoryId: string, table: RoleTable, userIds: string[]): Promise<Map<string, number[]>>;
  /** The groups that rows of a table name, by the place of the row. */
  findGroups(directoryId: string, table: RoleTable): Promise<DirectoryRoles['groups']>;
}
