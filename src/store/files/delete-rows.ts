import type { Knex } from 'knex';
import type { FileStore } from '../../directory/files/ports.ts';

/** How long files wait: for the rest of their set, and for a run that has not succeeded with them. */
const openFor = `interval '1 hour'`;
const waitingFor = `interval '7 days'`;
const setsPerRound = 100;

/**
 * Deletes rows of files that no run reads any more: of sets that are done or have waited for too long, and of requests that have failed.
 * `limit` is of rows. A file is void before its first row is deleted, so that no set gets a part of it.
 */
export const deleteSomeRows =
  (db: Knex): FileStore['deleteSome'] =>
  async (limit, directoryId) => {
    await expireSets(db, directoryId);
    const file = (await findVoid(db, directoryId)) ?? (await voidUnused(db, directoryId));
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
    await db('uploaded_files').where({ directory_id: file.directory_id, id: file.id, state: 'void' }).delete();
    await db.raw(
      `delete from file_sets s where s.directory_id = :directory_id and s.state = 'done'
         and not exists (select from uploaded_files f where f.directory_id = s.directory_id and f.set_id = s.id)`,
      { directory_id: file.directory_id },
    );
    return limit;
  };

interface FoundFile {
  directory_id: string;
  id: string;
}

const findVoid = (db: Knex, directoryId: string | undefined): Promise<FoundFile | undefined> =>
  db('uploaded_files')
    .where({ state: 'void', ...(directoryId !== undefined && { directory_id: directoryId }) })
    .first<FoundFile | undefined>('directory_id', 'id');

/** SQL condition: nothing will use file `f` any more. */
const isUnused = `f.state <> 'void' and (
  (f.set_id is null and f.created_at < now() - ${openFor})
  or exists (select from file_sets s where s.directory_id = f.directory_id and s.id = f.set_id and s.state = 'done'))`;

/** Locks the directory first, as completing a set does, and then looks again. */
async function voidUnused(db: Knex, directoryId: string | undefined): Promise<FoundFile | undefined> {
  const { rows } = await db.raw<{ rows: FoundFile[] }>(
    `select f.directory_id, f.id from uploaded_files f
     where (cast(:directoryId as uuid) is null or f.directory_id = :directoryId) and ${isUnused} limit 1`,
    { directoryId: directoryId ?? null },
  );
  const [found] = rows;
  if (!found) return undefined;
  return db.transaction(async (trx) => {
    await trx('directories').where({ id: found.directory_id }).forNoKeyUpdate().first('id');
    const { rows: voided } = await trx.raw<{ rows: FoundFile[] }>(
      `update uploaded_files f set state = 'void' where f.directory_id = :directoryId and ${isUnused} returning f.directory_id, f.id`,
      { directoryId: found.directory_id },
    );
    return voided[0];
  });
}

/** SQL condition: set `e` has waited for too long. */
const isExpired = `((e.state = 'open' and e.created_at < now() - ${openFor}) or (e.state = 'waiting' and e.created_at < now() - ${waitingFor}
  and not exists (select from sync_runs r where r.directory_id = e.directory_id and r.state in ('queued', 'running'))))`;

async function expireSets(db: Knex, directoryId: string | undefined): Promise<void> {
  const { rows } = await db.raw<{ rows: { directory_id: string }[] }>(
    `select distinct e.directory_id from file_sets e
     where (cast(:directoryId as uuid) is null or e.directory_id = :directoryId) and ${isExpired} limit ${setsPerRound}`,
    { directoryId: directoryId ?? null },
  );
  for (const { directory_id: expiring } of rows)
    await db.transaction(async (trx) => {
      await trx('directories').where({ id: expiring }).forNoKeyUpdate().first('id');
      await trx.raw(
        `with ended as (
           update file_sets e set state = 'done' where e.directory_id = :expiring and ${isExpired} returning e.directory_id, e.id
         )
         update directories d set provider_upload = null from ended where d.id = ended.directory_id and d.provider_upload = ended.id`,
        { expiring },
      );
    });
}
