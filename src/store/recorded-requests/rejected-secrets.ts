import type { Knex } from 'knex';
import type { RejectedSecret } from '../../directory/recorded-requests/rejected-secrets.ts';

/** Without a timestamp of a push. In the order of directories, so that two processes do not wait for each other. Never waits for locks. */
export async function recordRejectedSecrets(db: Knex, rejected: RejectedSecret[]): Promise<void> {
  await db.raw(
    `with present as (
       select d.id from directories d where d.id = any(cast(:directoryIds as uuid[])) for key share of d skip locked
     )
     insert into directory_pushes as p (directory_id, secret_rejected_at)
     select present.id, r.at from json_to_recordset(cast(:rows as json)) as r(directory_id uuid, at timestamptz)
       join present on present.id = r.directory_id order by present.id
     on conflict (directory_id) do update set secret_rejected_at = greatest(p.secret_rejected_at, excluded.secret_rejected_at)`,
    {
      directoryIds: rejected.map(({ directoryId }) => directoryId),
      rows: JSON.stringify(rejected.map(({ directoryId, atMs }) => ({ directory_id: directoryId, at: new Date(atMs) }))),
    },
  );
}
