import type { Knex } from 'knex';
import type { AuditAction, Changes } from '../../audit/act.ts';
import type { DirectoryType } from '../../directory/directories/directory.ts';
import { mapPage } from '../../directory/page.ts';
import type { UploadToken, UploadTokenStore } from '../../directory/upload-tokens/ports.ts';
import { AppError } from '../../errors.ts';
import { recordAct } from '../audit/record-act.ts';
import { pageById } from '../sql/page-by-id.ts';

interface TokenRow {
  id: string;
  directory_id: string;
  name: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const maxActiveTokens = 10;
/** Revoked and expired ones, by which people see what a directory had. */
const keptInactiveTokens = 20;
const columns = ['id', 'directory_id', 'name', 'created_at', 'expires_at', 'last_used_at', 'revoked_at'];

export const createUploadTokenStore = (db: Knex): UploadTokenStore => ({
  create: (directoryId, { id, name, expiresAt, hash }, at) =>
    db.transaction(async (trx) => {
      // Creations wait for each other, so that they cannot exceed the limit together.
      const directory = await trx('directories')
        .where({ id: directoryId })
        .forNoKeyUpdate()
        .first<{ type: DirectoryType } | undefined>('type');
      if (!directory) return undefined;
      if (directory.type !== 'csv') return 'other';
      const active = await trx('upload_tokens')
        .where({ directory_id: directoryId, revoked_at: null })
        .where('expires_at', '>', at)
        .count<[{ count: number }]>('* as count');
      if (active[0]!.count >= maxActiveTokens)
        throw new AppError(
          'invalid_request',
          `A directory may have at most ${maxActiveTokens} active upload tokens (fixed limit): revoke one first.`,
        );
      await trx.raw(
        `delete from upload_tokens where directory_id = :directoryId and id in (
           select id from upload_tokens where directory_id = :directoryId and (revoked_at is not null or expires_at <= :at)
           order by id desc offset :keptInactiveTokens)`,
        { directoryId, at, keptInactiveTokens },
      );
      await trx('upload_tokens').insert({ directory_id: directoryId, id, name, hash, expires_at: expiresAt });
      const created = (await getToken(trx, directoryId, id))!;
      await recordTokenAct(trx, 'upload_token.created', created, {
        name: { from: null, to: name },
        expires_at: { from: null, to: expiresAt.toISOString() },
      });
      return created;
    }),

  list: async (directoryId, page) =>
    mapPage(await pageById<TokenRow>(db('upload_tokens').where({ directory_id: directoryId }).select(columns), 'id', page), toToken),

  revoke: (directoryId, id) =>
    db.transaction(async (trx) => {
      const row = await trx('upload_tokens').where({ directory_id: directoryId, id }).forUpdate().first<TokenRow | undefined>(columns);
      if (!row || row.revoked_at) return row && toToken(row);
      await trx('upload_tokens').where({ directory_id: directoryId, id }).update({ revoked_at: trx.fn.now() });
      const revoked = (await getToken(trx, directoryId, id))!;
      await recordTokenAct(trx, 'upload_token.revoked', revoked);
      return revoked;
    }),

  async findByHash(hash) {
    const row = await db('upload_tokens as t')
      .join('directories as d', 'd.id', 't.directory_id')
      .where({ 't.hash': hash })
      .first<TokenRow | undefined>(columns.map((column) => `t.${column}`));
    return row && toToken(row);
  },

  async noteUse(directoryId, id) {
    await db('upload_tokens').where({ directory_id: directoryId, id }).update({ last_used_at: db.fn.now() });
  },
});

const recordTokenAct = (trx: Knex, action: AuditAction, { id, directoryId }: UploadToken, changes?: Changes) =>
  recordAct(trx, { action, directory: { id: directoryId }, targets: [{ type: 'upload_token', id }], ...(changes && { changes }) });

async function getToken(db: Knex, directoryId: string, id: string): Promise<UploadToken | undefined> {
  const row = await db('upload_tokens').where({ directory_id: directoryId, id }).first<TokenRow | undefined>(columns);
  return row && toToken(row);
}

const toToken = (row: TokenRow): UploadToken => ({
  id: row.id,
  directoryId: row.directory_id,
  name: row.name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
});
