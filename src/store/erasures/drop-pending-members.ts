import type { Knex } from 'knex';

/**
 * Removes pending members with one of these values. The row of the directory must be locked. Its revision and the
 * versions of the groups are incremented, as by every change.
 */
export async function dropPendingMembers(trx: Knex.Transaction, directoryId: string, valueKeys: string[]): Promise<number> {
  const { rows } = await trx.raw<{ rows: [{ count: number }] }>(
    `with dropped as (
       delete from pending_members where directory_id = :directoryId and value_key = any(cast(:valueKeys as text[])) returning group_id
     ), counted as (
       update groups g set member_count = g.member_count - d.members, version = g.version + 1, updated_at = now(),
         pushed = case when g.pushed ->> 'version' = cast(g.version as text) then g.pushed || jsonb_build_object('version', g.version + 1)
           else g.pushed end
       from (select group_id, count(*) as members from dropped group by group_id) d
       where g.directory_id = :directoryId and g.id = d.group_id
     ), noted as (
       update all_directories set revision = revision + 1, membership_count = membership_count - (select count(*) from dropped)
       where id = :directoryId and exists (select from dropped)
     )
     select count(*) as count from dropped`,
    { directoryId, valueKeys },
  );
  return rows[0].count;
}
