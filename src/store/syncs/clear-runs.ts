import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';

const keys = {
  sync_changes: 'place',
  sync_members: 'group_external_id, external_id',
  sync_groups: 'external_id',
  sync_users: 'external_id',
} as const;

/** Little at once. */
export const clearRuns =
  (db: Knex): SyncStore['clear'] =>
  async (directoryId, limit) => {
    const run = await db('sync_runs')
      .where({ directory_id: directoryId, is_cleared: false })
      .whereNotIn('state', ['queued', 'running'])
      .first<{ id: string } | undefined>('id');
    if (!run) return false;
    for (const [table, key] of Object.entries(keys)) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where run_id = :runId and directory_id = :directoryId
           and (${key}) in (select ${key} from ${table} where run_id = :runId order by ${key} limit :limit)`,
        { directoryId, runId: run.id, limit },
      );
      if (rowCount === limit) return true;
    }
    await db('sync_runs').where({ directory_id: directoryId, id: run.id }).update({ is_cleared: true });
    return true;
  };
