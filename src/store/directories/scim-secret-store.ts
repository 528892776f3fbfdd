import type { Knex } from 'knex';
import { isPulledType, type DirectoryType } from '../../directory/directories/directory.ts';
import type { ScimSecretStore } from '../../directory/directories/scim-secrets.ts';
import { recordAct } from '../audit/record-act.ts';
import { newId } from '../../ids.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';

/** Each valid secret is compared with the bearer token of a request. */
const maxValidSecrets = 5;

export const createScimSecretStore = (db: Knex, secretColumns: SecretColumns): ScimSecretStore => ({
  rotate: (directoryId, { secret, overlapMs, expiresAt }) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId })
        .forNoKeyUpdate()
        .first<{ type: DirectoryType } | undefined>('type');
      if (!directory) return undefined;
      if (isPulledType(directory.type)) return 'pulled';
      const directoryColumns = { directory_id: directoryId };
      await trx('scim_secrets').where(directoryColumns).whereRaw('expires_at <= clock_timestamp()').delete();
      const kept = await trx('scim_secrets')
        .where(directoryColumns)
        .orderBy('created_at', 'desc')
        .select<{ id: string; secret: string; last_used_at: Date | null }[]>('id', 'secret', 'last_used_at');
      if (kept.some(({ secret: sealed }) => secretColumns.open(directoryId, 'scim_secret', sealed) === secret)) return 'same';
      const previous =
        overlapMs === 0
          ? []
          : inUseFirst(kept)
              .slice(0, maxValidSecrets - 1)
              .map(({ id }) => id);
      await trx('scim_secrets').where(directoryColumns).whereNotIn('id', previous).delete();
      const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
        `update scim_secrets set expires_at = least(expires_at, clock_timestamp() + :overlapMs * interval '1 millisecond')
         where directory_id = :directoryId returning expires_at`,
        { directoryId, overlapMs },
      );
      await addScimSecret(trx, secretColumns, { directoryId, secret, expiresAt });
      await recordAct(trx, {
        action: 'directory.scim_secret_rotated',
        directory: { id: directoryId },
        changes: { scim_secret: { changed: true }, overlap_seconds: overlapMs / 1_000 },
      });
      return { previousValidUntil: rows.map((row) => row.expires_at).sort((a, b) => b.getTime() - a.getTime())[0] };
    }),

  async noteUse(directoryId, secretId) {
    await db('scim_secrets')
      .where({ directory_id: directoryId, id: secretId })
      .whereRaw(`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
      .update({ last_used_at: db.fn.now() });
  },
});

/** However often the secret is rotated, the one that the identity provider uses keeps its overlap. The others stay in their order. */
function inUseFirst<Secret extends { last_used_at: Date | null }>(secrets: Secret[]): Secret[] {
  const usedAt = ({ last_used_at: at }: Secret) => at?.getTime() ?? 0;
  const newestUse = Math.max(0, ...secrets.map(usedAt));
  const isInUse = (secret: Secret) => newestUse > 0 && usedAt(secret) === newestUse;
  return [...secrets.filter(isInUse), ...secrets.filter((secret) => !isInUse(secret))];
}

/** Adds a secret. The newest secret is also stored in the directory's row. */
export async function addScimSecret(
  trx: Knex.Transaction,
  secretColumns: SecretColumns,
  { directoryId, secret, expiresAt }: { directoryId: string; secret: string; expiresAt: Date | undefined },
): Promise<void> {
  const sealed = secretColumns.seal(directoryId, 'scim_secret', secret);
  await trx('scim_secrets').insert({ id: newId(), directory_id: directoryId, secret: sealed, expires_at: expiresAt ?? null });
  await trx('directories').where({ id: directoryId }).update({ scim_secret: sealed });
}
