import type { Knex } from 'knex';

/**
 * Files from before this time hold a copy of what they name, also in a set that was completed later. Those that a run reads go when it
 * ends, and those that arrive when their request does. The directory must be locked.
 */
export async function discardSets(trx: Knex.Transaction, directoryId: string, upTo: Date): Promise<void> {
  await trx.raw(
    `with discarded as (
       update file_sets s set state = 'done'
       where s.directory_id = :directoryId and s.state in ('open', 'waiting')
         and (s.created_at <= :upTo
           or exists (select from uploaded_files f where f.directory_id = s.directory_id and f.set_id = s.id and f.created_at <= :upTo))
         and not exists (select from sync_runs r where r.directory_id = s.directory_id and r.state in ('queued', 'running'))
       returning s.directory_id, s.id
     )
     update directories d set provider_upload = null from discarded where d.id = discarded.directory_id and d.provider_upload = discarded.id`,
    { directoryId, upTo },
  );
  // Of requests that a process left when it died: they would have ended by now.
  await trx.raw(
    `update uploaded_files set state = 'void'
     where directory_id = :directoryId and set_id is null and state <> 'void' and created_at <= :upTo and created_at < now() - interval '30 minutes'`,
    { directoryId, upTo },
  );
}
