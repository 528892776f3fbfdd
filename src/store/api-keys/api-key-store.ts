import type { Knex } from 'knex';
import type { KeyValue } from '../../access/key-value.ts';
import { isNarrowed, type Narrowing } from '../../access/narrowing.ts';
import type { ApiKey, ApiKeyStore } from '../../access/ports.ts';
import type { Scope } from '../../access/scopes.ts';
import type { AuditAction, Changes } from '../../audit/act.ts';
import { AppError } from '../../errors.ts';
import { recordAct } from '../audit/record-act.ts';
import { describeKeyChanges } from '../../audit/describe-changes.ts';
import { runPrepared } from '../sql/run-prepared.ts';
import { shareQueries } from '../sql/share-queries.ts';
import { mapPage } from '../../directory/page.ts';
import { pageById } from '../sql/page-by-id.ts';

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

/** Keys that are not revoked, in all and of one narrowing, so that no tenant takes the place of others. */
const maxApiKeys = 10_000;
const maxNarrowedApiKeys = 100;
const keptRevoked = 10_000;
/** Former values, by which a caller is told that its key was rotated. */
const keptFormerValues = 9;

export function createApiKeyStore(db: Knex): ApiKeyStore {
  return {
    create: (within, { id, name, scopes, narrowed, allowedNetworks, expiresAt, createdBy }, value) =>
      db.transaction(async (trx) => {
        await assertFewerKeys(trx, within);
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
        const created = (await getKey(trx, {}, id))!;
        await recordKeyAct(trx, 'api_key.created', created, describeKeyChanges(undefined, created));
        return created;
      }),

    list: async (within, page) => mapPage(await pageById<KeyRow>(selectKeys(db).where(toColumns(within)), 'k.id', page), toKey),

    get: (within, id) => getKey(db, within, id),

    update: (within, id, { name, scopes, allowedNetworks, expiresAt }) =>
      db.transaction(async (trx) => {
        const former = await lockKey(trx, within, id);
        if (!former || former.revokedAt) return undefined;
        const columns = {
          ...(name !== undefined && { name }),
          ...(scopes !== undefined && { scopes }),
          ...(allowedNetworks !== undefined && { allowed_networks: allowedNetworks }),
          ...(expiresAt !== undefined && { expires_at: expiresAt }),
        };
        if (Object.keys(columns).length > 0) await trx('api_keys').where({ id }).update(columns);
        const updated = (await getKey(trx, within, id))!;
        await recordKeyAct(trx, 'api_key.updated', updated, describeKeyChanges(former, updated));
        return updated;
      }),

    revoke: (within, id) =>
      db.transaction(async (trx) => {
        const former = await lockKey(trx, within, id);
        if (!former || former.revokedAt) return former;
        await trx('api_keys').where({ id }).update({ revoked_at: trx.fn.now() });
        await trx.raw(
          `delete from api_keys where id in (
             select id from api_keys where revoked_at is not null order by revoked_at desc, id desc offset :keptRevoked)`,
          { keptRevoked },
        );
        const revoked = (await getKey(trx, within, id))!;
        await recordKeyAct(trx, 'api_key.revoked', revoked);
        return revoked;
      }),

    rotate: (within, id, { value, overlapMs }) =>
      db.transaction(async (trx) => {
        const former = await lockKey(trx, within, id);
        if (!former || former.revokedAt) return undefined;
        const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
          `update api_key_values set expires_at = case when prefix = :prefix
               then clock_timestamp() + :overlapMs * interval '1 millisecond' else clock_timestamp() end
           where key_id = :id and (expires_at is null or expires_at > clock_timestamp()) returning expires_at`,
          { id, overlapMs, prefix: former.prefix },
        );
        await trx.raw(
          `delete from api_key_values where key_id = :id and prefix in (
             select prefix from api_key_values where key_id = :id order by created_at desc offset :keptFormerValues)`,
          { id, keptFormerValues },
        );
        await addValue(trx, id, value);
        const rotated = (await getKey(trx, within, id))!;
        await recordKeyAct(trx, 'api_key.rotated', rotated, { value: { changed: true }, overlap_seconds: overlapMs / 1_000 });
        const until = rows.map((row) => row.expires_at).sort((a, b) => b.getTime() - a.getTime())[0];
        return { key: rotated, previousValidUntil: overlapMs > 0 ? until : undefined };
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

const recordKeyAct = (trx: Knex, action: AuditAction, { id, narrowed: { tenant, product } }: ApiKey, changes?: Changes) =>
  recordAct(trx, {
    action,
    targets: [{ type: 'api_key', id, ...(tenant !== undefined && { tenant }), ...(product !== undefined && { product }) }],
    ...(changes && { changes }),
  });

const selectKeys = (db: Knex) =>
  db('api_keys as k').select<KeyRow[]>(
    'k.*',
    db('api_key_values as v').whereRaw('v.key_id = k.id').orderBy('v.created_at', 'desc').limit(1).select('v.prefix').as('prefix'),
  );

async function getKey(db: Knex, within: Narrowing, id: string): Promise<ApiKey | undefined> {
  const [row] = await selectKeys(db).where({ 'k.id': id, ...toColumns(within) });
  return row && toKey(row);
}

async function lockKey(trx: Knex, within: Narrowing, id: string): Promise<ApiKey | undefined> {
  const found = await trx('api_keys')
    .where({ id, ...toColumns(within) })
    .forUpdate()
    .first('id');
  return found && getKey(trx, within, id);
}

/** Creations wait for each other, so that they cannot exceed the limit together. */
async function assertFewerKeys(trx: Knex, within: Narrowing): Promise<void> {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('api keys', 7265636531))`);
  await assertFewer(trx, {}, { limit: maxApiKeys, hint: 'Rollcall may have at most' });
  if (isNarrowed(within))
    await assertFewer(trx, within, {
      limit: maxNarrowedApiKeys,
      hint: 'The tenant, product or directory of this API key may have at most',
    });
}

async function assertFewer(trx: Knex, within: Narrowing, { limit, hint }: { limit: number; hint: string }): Promise<void> {
  const [counted] = await trx('api_keys')
    .where({ revoked_at: null, ...toColumns(within) })
    .count<[{ count: number }]>('* as count');
  if (counted!.count >= limit)
    throw new AppError('invalid_request', `${hint} ${limit} API keys that are not revoked (fixed limit): revoke one first.`);
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
