import type { Knex } from 'knex';
import type { KeyValue } from '../../access/key-value.ts';
import type { Narrowing } from '../../access/narrowing.ts';
import type { ApiKey, ApiKeyChange, ApiKeyStore } from '../../access/ports.ts';
import type { Scope } from '../../access/scopes.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { shareQueries } from '../sql/share-queries.ts';

interface KeyRow {
  id: string;
  name: string;
  scopes: Scope[];
  tenant: string | null;
  product: string | null;
  directory_id: string | null;
  allowed_networks: string[] | null;
  created_at: Date;
  created_by: string;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  prefix: string;
}

interface ValueRow extends KeyRow {
  hash: Buffer;
  value_expires_at: Date | null;
}

export function createApiKeyStore(db: Knex): ApiKeyStore {
  return {
    create: ({ id, name, scopes, narrowed, allowedNetworks, expiresAt, createdBy }, value) =>
      db.transaction(async (trx) => {
        await trx('api_keys').insert({
          id,
          name,
          scopes,
          ...toColumns(narrowed),
          allowed_networks: allowedNetworks ?? null,
          expires_at: expiresAt ?? null,
          created_by: createdBy,
        });
        await addValue(trx, id, value);
        return (await getKey(trx, {}, id))!;
      }),

    async list(within, { offset, limit }) {
      const rows = await selectKeys(db).where(toColumns(within)).orderBy('k.id', 'desc').offset(offset).limit(limit);
      return rows.map(toKey);
    },

    get: (within, id) => getKey(db, within, id),

    async update(within, id, { name, scopes, allowedNetworks, expiresAt }: ApiKeyChange) {
      const change = {
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes }),
        ...(allowedNetworks !== undefined && { allowed_networks: allowedNetworks }),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      };
      if (Object.keys(change).length > 0)
        await db('api_keys')
          .where({ id, ...toColumns(within) })
          .update(change);
      return getKey(db, within, id);
    },

    async revoke(within, id) {
      await db('api_keys')
        .where({ id, revoked_at: null, ...toColumns(within) })
        .update({ revoked_at: db.fn.now() });
      return getKey(db, within, id);
    },

    rotate: (within, id, { value, overlapMs }) =>
      db.transaction(async (trx) => {
        const found = await trx('api_keys')
          .where({ id, ...toColumns(within) })
          .forUpdate()
          .first('id');
        if (!found) return undefined;
        const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
          `update api_key_values set expires_at = case when created_at = (select max(created_at) from api_key_values where key_id = :id)
               then clock_timestamp() + :overlapMs * interval '1 millisecond' else clock_timestamp() end
           where key_id = :id and (expires_at is null or expires_at > clock_timestamp()) returning expires_at`,
          { id, overlapMs },
        );
        await addValue(trx, id, value);
        const until = rows.map((row) => row.expires_at).sort((a, b) => b.getTime() - a.getTime())[0];
        return { key: (await getKey(trx, within, id))!, previousValidUntil: overlapMs > 0 ? until : undefined };
      }),

    findByPrefix: shareQueries(async (prefixes) => {
      const rows = await runPrepared<ValueRow>(
        db,
        'api-key-by-prefix',
        () => `select k.*, v.prefix, v.hash, v.expires_at as value_expires_at from api_key_values v
          join api_keys k on k.id = v.key_id where v.prefix = any(cast(:prefixes as text[]))`,
        { prefixes },
      );
      return new Map(
        rows.map((row) => [row.prefix, { key: toKey(row), hash: row.hash, valueExpiresAt: row.value_expires_at ?? undefined }]),
      );
    }),

    async noteUse(id) {
      await db('api_keys')
        .where({ id })
        .whereRaw(`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
        .update({ last_used_at: db.fn.now() });
    },
  };
}

const selectKeys = (db: Knex) =>
  db('api_keys as k').select<KeyRow[]>(
    'k.*',
    db('api_key_values as v').whereRaw('v.key_id = k.id').orderBy('v.created_at', 'desc').limit(1).select('v.prefix').as('prefix'),
  );

async function getKey(db: Knex, within: Narrowing, id: string): Promise<ApiKey | undefined> {
  const [row] = await selectKeys(db).where({ 'k.id': id, ...toColumns(within) });
  return row && toKey(row);
}

const addValue = (db: Knex, keyId: string, { prefix, hash }: KeyValue) => db('api_key_values').insert({ prefix, key_id: keyId, hash });

const toColumns = ({ tenant, product, directoryId }: Narrowing) => ({
  ...(tenant !== undefined && { tenant }),
  ...(product !== undefined && { product }),
  ...(directoryId !== undefined && { directory_id: directoryId }),
});

const toKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  narrowed: {
    ...(row.tenant !== null && { tenant: row.tenant }),
    ...(row.product !== null && { product: row.product }),
    ...(row.directory_id !== null && { directoryId: row.directory_id }),
  },
  allowedNetworks: row.allowed_networks ?? undefined,
  expiresAt: row.expires_at ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
  createdAt: row.created_at,
  createdBy: row.created_by,
  revokedAt: row.revoked_at ?? undefined,
  prefix: row.prefix,
});
