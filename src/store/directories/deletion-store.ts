import type { Knex } from 'knex';
import type { DeletionStore } from '../../directory/ports.ts';

/** Referencing tables come first, so that a delete never cascades beyond its limit. */
const stagedTables = ['sync_changes', 'sync_members', 'sync_groups', 'sync_users'];
const tables = [
  'webhook_attempts',
  'webhook_batches',
  'webhook_replays',
  'webhook_secrets',
  'webhook_endpoints',
  'group_members',
  'pending_members',
  'groups',
  'users',
  'stored_events',
  'event_documents',
  'mutations',
  'staged_mutations',
  'mutation_starts',
  'scim_requests',
  'user_requests',
  'user_erasures',
  'attribute_recomputes',
  'users_to_recompute',
  'sync_runs',
  'authorization_requests',
  'directory_pushes',
  'directory_hours',
  'scim_secrets',
  'scim_access_tokens',
  'scim_clients',
  'uploaded_members',
  'uploaded_rows',
  'uploaded_files',
  'file_sets',
  'upload_tokens',
];

export const createDeletionStore = (db: Knex): DeletionStore => ({
  async deleteSome(directoryId, limit) {
    // Only directories that are already hidden.
    const { rows } = await db.raw<{ rows: object[] }>(
      `update all_directories set deleting_at = now() where id = :directoryId and deleting_at is not null returning id`,
      { directoryId },
    );
    if (rows.length === 0) return false;
    for (const table of stagedTables) {
      // Selects by sync run, since the primary keys begin with it. The time is then independent of other directories' rows.
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where directory_id = :directoryId and ctid = any(array(
           select s.ctid from sync_runs r cross join lateral (select ctid from ${table} where run_id = r.id limit :limit) s
           where r.directory_id = :directoryId limit :limit))`,
        { directoryId, limit },
      );
      if (rowCount > 0) return true;
    }
    for (const table of tables) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where directory_id = :directoryId
           and ctid = any(array(select ctid from ${table} where directory_id = :directoryId limit :limit))`,
        { directoryId, limit },
      );
      if (rowCount > 0) return true;
    }
    await db.raw(`delete from all_directories where id = :directoryId and deleting_at is not null`, { directoryId });
    return false;
  },

  async findUnfinished(limit) {
    const { rows } = await db.raw<{ rows: { id: string }[] }>(
      `select id from all_directories where deleting_at < now() - interval '30 seconds' order by deleting_at limit :limit`,
      { limit },
    );
    return rows.map(({ id }) => id);
  },
});
