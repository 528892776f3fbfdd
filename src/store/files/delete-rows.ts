import type { Knex } from 'knex';
import type { FileStore } from '../../directory/files/ports.ts';

/** How long files wait: for the rest of their set, and for a run that has not succeeded with them. */
const openFor = `interval '1 hour'`;
const waitingFor = `interval '7 days'`;
const setsPerRound = 100;

/**
 * Deletes rows of files that no run reads any more: of sets that are done or have waited for too long, and of requests that have failed. `limit` is of
 * rows.
 */
export const deleteSomeRows =
  (db: Knex): FileStore['deleteSome'] =>
  async (limit, directoryId) => {
    await expireSets(db, directoryId);
    const { rows } = await db.raw<{ rows: { directory_id: string; id: string }[] }>(
      `select f.directory_id, f.id from uploaded_files f left join file_sets s on s.directory_id = f.directory_id and s.id = f.set_id
       where (cast(:directoryId as uuid) is null or f.directory_id = :directoryId)
         and (f.state = 'void' or s.state = 'done' or (f.set_id is null and f.created_at < now() - ${openFor}))
       limit 1`,
      { directoryId: directoryId ?? null },
    );
    const [file] = rows;
    if (!file) return 0;
    const key = { directory_id: file.directory_id, file_id: file.id };
    for (const table of ['uploaded_members', 'uploaded_rows']) {
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `delete from ${table} where directory_id = :directory_id
           and ctid = any(array(select ctid from ${table} where directory_id = :directory_id and file_id = :file_id limit :limit))`,
        { ...key, limit },
      );
      if (rowCount > 0) return Math.max(rowCount, limit);
    }
    await db('uploaded_files').where({ directory_id: file.directory_id, id: file.id }).delete();
    await db.raw(
      `delete from file_sets s where s.directory_id = :directory_id and s.state = 'done'
         and not exists (select from uploaded_files f where f.directory_id = s.directory_id and f.set_id = s.id)`,
      { directory_id: file.directory_id },
    );
    return limit;
  };

async function expireSets(db: Knex, directoryId: string | undefined): Promise<void> {
  await db.raw(
    `with ended as (
       update file_sets s set state = 'done'
       where (directory_id, id) in (
         select e.directory_id, e.id from file_sets e
         where (cast(:directoryId as uuid) is null or e.directory_id = :directoryId)
           and ((e.state = 'open' and e.created_at < now() - ${openFor}) or (e.state = 'waiting' and e.created_at < now() - ${waitingFor}
             and not exists (select from sync_runs r where r.directory_id = e.directory_id and r.state in ('queued', 'running'))))
         limit ${setsPerRound} for update skip locked
       ) returning directory_id, id
     )
     update directories d set provider_upload = null from ended where d.id = ended.directory_id and d.provider_upload = ended.id`,
    { directoryId: directoryId ?? null },
  );
}
