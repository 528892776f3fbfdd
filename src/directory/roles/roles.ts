import { AppError } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { invalid } from '../attributes/attribute.ts';
import type { RecomputeKey } from '../attributes/ports.ts';
import { directoryNotFound } from '../errors.ts';
import type { UserStore } from '../ports.ts';
import type { DirectoryRoles, RoleStore } from './ports.ts';
import { createPreviewRoles, type RolePreview } from './preview-roles.ts';
import type { RoleTable } from './role-table.ts';

interface RolesDeps {
  store: RoleStore;
  users: Pick<UserStore, 'listAcross'>;
  /** Returns immediately. The sweep makes up for failures. */
  startRecomputeSoon(key: RecomputeKey): void;
}

/** Of a change that others come before. */
const maxAttempts = 5;

export type Roles = ReturnType<typeof createRoles>;

/** The role tables of directories. */
export function createRoles({ store, users, startRecomputeSoon }: RolesDeps) {
  const previewRoles = createPreviewRoles({ store, users });
  return {
    get,

    /** Undefined removes the table. */
    async set(directoryId: string, table: RoleTable | undefined, options: { repeats?: boolean | undefined } = {}): Promise<DirectoryRoles> {
      if (!isId(directoryId)) throw directoryNotFound();
      const changed = await store.set(directoryId, table, options);
      if (!changed) throw directoryNotFound();
      if (changed.recompute) startRecomputeSoon(changed.recompute);
      return get(directoryId);
    },

    /** Replaces the table by one that follows from the present one, which others may change at the same time. */
    async change(directoryId: string, compute: (present: DirectoryRoles) => RoleTable): Promise<void> {
      for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
        const present = await get(directoryId);
        const changed = await store.set(directoryId, compute(present), { from: { table: present.table } });
        if (!changed) throw directoryNotFound();
        if (changed.isStale) continue;
        if (changed.recompute) startRecomputeSoon(changed.recompute);
        return;
      }
      throw new AppError('unavailable', 'Others are changing the role table. Nothing was changed; try again.');
    },

    /**
     * What a table would change, or the removal of the table if `requested` has none; by default, what the present one has not changed yet.
     * Nothing is stored.
     */
    async preview(
      directoryId: string,
      requested: { table: RoleTable | undefined } | undefined,
      options: { limit: number; signal: AbortSignal },
    ): Promise<RolePreview> {
      const directory = await get(directoryId);
      if (!requested && !directory.table) throw invalid('groups', 'is required: the directory has no role table');
      return previewRoles(directoryId, { ...directory, ...requested }, options);
    },
  };

  async function get(directoryId: string): Promise<DirectoryRoles> {
    const found = isId(directoryId) ? await store.get(directoryId) : undefined;
    if (!found) throw directoryNotFound();
    return found;
  }
}
