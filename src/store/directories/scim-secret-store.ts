import type { Knex } from 'knex';
import { hostedType } from '../../directory/directory.ts';
import type { ScimSecretStore } from '../../directory/scim-secrets.ts';
import { addScimSecret } from '../add-scim-secret.ts';
import type { SecretColumns } from '../secret-columns.ts';

/** Each is compared with what a provider sends. */
const mostValid = 5;

export const createScimSecretStore = (db: Knex, secretColumns: SecretColumns): ScimSecretStore => ({
  rotate: (directoryId, { secret, overlapMs, expiresAt }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first<{ type: string } | undefined>('type');
      if (!directory) return undefined;
      if (directory.type === hostedType) return 'hosted';
      const ours = { directory_id: directoryId };
      await trx('scim_secrets').where(ours).whereRaw('expires_at <= clock_timestamp()').delete();
      const kept = await trx('scim_secrets')
        .where(ours)
        .orderBy('created_at', 'desc')
        .select<{ id: string; secret: string }[]>('id', 'secret');
      if (kept.some(({ secret: sealed }) => secretColumns.open(directoryId, 'scim_secret', sealed) === secret)) return 'same';
      const previous = overlapMs === 0 ? [] : kept.slice(0, mostValid - 1).map(({ id }) => id);
      await trx('scim_secrets').where(ours).whereNotIn('id', previous).delete();
      const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
        `update scim_secrets set expires_at = least(expires_at, clock_timestamp() + :overlapMs * interval '1 millisecond')
         where directory_id = :directoryId returning expires_at`,
        { directoryId, overlapMs },
      );
      await addScimSecret(trx, secretColumns, { directoryId, secret, expiresAt });
      return { previousValidUntil: rows.map((row) => row.expires_at).sort((a, b) => b.getTime() - a.getTime())[0] };
    }),

  async noteUse(directoryId, secretId) {
    await db('scim_secrets')
      .where({ directory_id: directoryId, id: secretId })
      .whereRaw(`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
      .update({ last_used_at: db.fn.now() });
  },
});
