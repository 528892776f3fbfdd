import type { Knex } from 'knex';

/** Files from before this time hold a copy of what they name. Those that a run reads go when it ends. */
export async function discardSets(trx: Knex.Transaction, directoryId: string, upTo: Date): Promise<void> {
  await trx.raw(
    `with discarded as (
       update file_sets s set state = 'done'
       where s.directory_id = :directoryId and s.created_at <= :upTo and s.state in ('open', 'waiting')
         and not exists (select from sync_runs r where r.directory_id = s.directory_id and r.state in ('queued', 'running'))
       returning s.directory_id, s.id
     )
     update directories d set provider_upload = null from discarded where d.id = discarded.directory_id and d.provider_upload = discarded.id`,
    { directoryId, upTo },
  );
}
