import type { Knex } from 'knex';
import type { SyncStore } from '../../directory/sync/ports.ts';
import type { ProviderLinks } from '../../directory/sync/provider.ts';
import { isObject, parseJson } from '../../scim/json.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';

type LinkStore = Pick<SyncStore, 'beginReading' | 'restart' | 'saveLink'>;

export interface LinkColumns {
  provider_users_link: string | null;
  provider_groups_link: string | null;
  provider_links_version: number | null;
}

/** Links of another account, or from before the connection changed, are not followed. */
export function toLinks(
  row: LinkColumns & { id: string; provider_account: string | null; google_authorization_version: number },
  secrets: SecretColumns,
): ProviderLinks | undefined {
  if (row.provider_links_version !== row.google_authorization_version) return undefined;
  const open = (sealed: string | null) => {
    const stored = sealed === null ? undefined : parseJson(secrets.open(row.id, 'provider_link', sealed));
    return isObject(stored) && stored['account'] === row.provider_account && typeof stored['link'] === 'string'
      ? stored['link']
      : undefined;
  };
  const [users, groups] = [open(row.provider_users_link), open(row.provider_groups_link)];
  return users === undefined || groups === undefined ? undefined : { users, groups };
}

export const createLinkStore = (db: Knex, secrets: SecretColumns): LinkStore => ({
  async beginReading(directoryId, runId, mode) {
    await db('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running' }).whereNull('mode').update({ mode });
  },

  restart: (directoryId, runId) =>
    db.transaction(async (trx) => {
      const run = await trx('sync_runs').where({ directory_id: directoryId, id: runId, state: 'running', pass: 0 }).forUpdate().first('id');
      if (!run) return 'stopped';
      // Deletes up to a whole directory.
      await trx.raw(`set local statement_timeout = '5min'`);
      for (const table of ['sync_members', 'sync_groups', 'sync_users'])
        await trx(table).where({ directory_id: directoryId, run_id: runId }).delete();
      const [row] = await trx('sync_runs')
        .where({ directory_id: directoryId, id: runId })
        .update({
          mode: 'full',
          epoch: trx.raw('epoch + 1'),
          is_uncertain: false,
          phase: 'users',
          users_listed: 0,
          users_seen: 0,
          groups_seen: 0,
          members_seen: 0,
          staged_bytes: 0,
          users_link: null,
          groups_link: null,
        })
        .returning<{ epoch: number }[]>('epoch');
      return row!.epoch;
    }),

  async saveLink(directoryId, runId, kind, position) {
    await db('sync_runs')
      .where({ directory_id: directoryId, id: runId, state: 'running' })
      .update({ [`${kind}_link`]: secrets.seal(directoryId, 'provider_link', JSON.stringify(position)) });
  },
});

/** Providers lose some changes, so everything is compared this often. */
const fullComparisonInterval = `interval '24 hours'`;

/**
 * Moves the links of a directory to the end of a successful run. If a change could not be applied or read, the links
 * stay, so that the next run reads it again. A full comparison always moves them: what it could not apply is retried an
 * hour later. Returns whether a full comparison is due.
 */
export async function advanceLinks(trx: Knex.Transaction, directoryId: string, runId: string): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { is_due: boolean }[] }>(
    `update directories d set provider_account_unread = false,
       provider_users_link = case when r.is_whole then r.users_link else d.provider_users_link end,
       provider_groups_link = case when r.is_whole then r.groups_link else d.provider_groups_link end,
       provider_links_version = case when r.is_whole then r.authorization_version else d.provider_links_version end,
       provider_compared_at = case when r.mode = 'full' then now() - case when r.failed > 0 then ${fullComparisonInterval} - interval '1 hour' else interval '0' end
         else d.provider_compared_at end
     from (
       select *, mode = 'full' or failed = 0 and not is_uncertain and not exists (
         select from sync_groups g where g.run_id = ended.id and g.directory_id = ended.directory_id and g.is_gone
       ) as is_whole
       from sync_runs ended where directory_id = :directoryId and id = :runId
     ) r
     where d.id = r.directory_id and d.provider_account is not null and r.authorization_version = d.google_authorization_version
     returning r.mode = 'changes' and coalesce(d.provider_compared_at, '-infinity') < now() - ${fullComparisonInterval} as is_due`,
    { directoryId, runId },
  );
  await trx('sync_runs').where({ directory_id: directoryId, id: runId }).update({ users_link: null, groups_link: null });
  return rows[0]?.is_due ?? false;
}
