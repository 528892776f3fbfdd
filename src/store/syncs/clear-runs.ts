import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';

const tables = ['sync_changes', 'sync_members', 'sync_groups', 'sync_users'];

/** Deletes a limited number of rows by `ctid`, which needs no join. Postgres' statistics are unreliable for tables that fill and empty within minutes. */
export const clearRuns =
  (db: Knex): SyncStore['clear'] =>
  async (directoryId, limit) => {
    const run = await db('sync_runs')
      .where({ directory_id: directoryId, is_cleared: false })
      .whereNotIn('state', ['queued', 'running'])
      .first<{ id: string } | undefined>('id');
    if (!run) return false;
    for (const table of tables) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where directory_id = :directoryId
           and ctid = any(array(select ctid from ${table} where run_id = :runId and directory_id = :directoryId limit :limit))`,
        { directoryId, runId: run.id, limit },
      );
      if (rowCount === limit) return true;
    }
    await db('sync_runs').where({ directory_id: directoryId, id: run.id }).update({ is_cleared: true });
    return true;
  };
