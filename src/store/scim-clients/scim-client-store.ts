import type { Knex } from 'knex';
import type { AuditAction, Changes } from '../../audit/act.ts';
import { isPulledType, type DirectoryType } from '../../directory/directories/directory.ts';
import type { ScimClient, ScimClientStore } from '../../directory/scim-clients/ports.ts';
import { AppError } from '../../errors.ts';
import { recordAct } from '../audit/record-act.ts';
import { mapPage } from '../../directory/page.ts';
import { pageById } from '../sql/page-by-id.ts';

interface ClientRow {
  id: string;
  directory_id: string;
  name: string;
  secret_hash: Buffer;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

const maxActiveClients = 10;
/** Revoked and expired ones, by which people see what a directory had. */
const keptInactiveClients = 20;
/** Each request of an identity provider is compared with all access tokens of its directory. */
const maxTokensPerClient = 20;

export const createScimClientStore = (db: Knex): ScimClientStore => ({
  create: (directoryId, { id, name, expiresAt, secretHash }, at) =>
    db.transaction(async (trx) => {
      // Creations wait for each other, so that they cannot exceed the limit together.
      const directory = await trx('directories')
        .where({ id: directoryId })
        .forNoKeyUpdate()
        .first<{ type: DirectoryType } | undefined>('type');
      if (!directory) return undefined;
      if (isPulledType(directory.type)) return 'pulled';
      await assertFewerClients(trx, directoryId, at);
      await trx.raw(
        `delete from scim_clients where directory_id = :directoryId and id in (
           select id from scim_clients where directory_id = :directoryId and (revoked_at is not null or expires_at <= :at)
           order by id desc offset :keptInactiveClients)`,
        { directoryId, at, keptInactiveClients },
      );
      await trx('scim_clients').insert({ directory_id: directoryId, id, name, secret_hash: secretHash, expires_at: expiresAt });
      const created = (await getClient(trx, directoryId, id))!;
      await recordClientAct(trx, 'scim_client.created', created, {
        name: { from: null, to: name },
        expires_at: { from: null, to: expiresAt.toISOString() },
      });
      return created;
    }),

  list: async (directoryId, page) =>
    mapPage(await pageById<ClientRow>(db('scim_clients').where({ directory_id: directoryId }), 'id', page), toClient),

  get: (directoryId, id) => getClient(db, directoryId, id),

  update: (directoryId, id, { name, expiresAt }, at) =>
    db.transaction(async (trx) => {
      // An expired client may become active again: together with creations, it must not exceed the limit.
      if (expiresAt) await trx('directories').where({ id: directoryId }).forNoKeyUpdate().first('id');
      const former = await lockClient(trx, directoryId, id);
      if (!former || former.revokedAt) return undefined;
      if (expiresAt && former.expiresAt <= at) await assertFewerClients(trx, directoryId, at);
      const columns = { ...(name !== undefined && { name }), ...(expiresAt && { expires_at: expiresAt }) };
      if (Object.keys(columns).length > 0) await trx('scim_clients').where({ directory_id: directoryId, id }).update(columns);
      if (expiresAt)
        await trx('scim_access_tokens')
          .where({ directory_id: directoryId, client_id: id })
          .update({ expires_at: trx.raw('least(expires_at, ?)', [expiresAt]) });
      const updated = (await getClient(trx, directoryId, id))!;
      await recordClientAct(trx, 'scim_client.updated', updated, describeUpdate(former, updated));
      return updated;
    }),

  revoke: (directoryId, id) =>
    db.transaction(async (trx) => {
      const former = await lockClient(trx, directoryId, id);
      if (!former || former.revokedAt) return former;
      await trx('scim_clients').where({ directory_id: directoryId, id }).update({ revoked_at: trx.fn.now() });
      await deleteTokens(trx, directoryId, id);
      const revoked = (await getClient(trx, directoryId, id))!;
      await recordClientAct(trx, 'scim_client.revoked', revoked);
      return revoked;
    }),

  revokeTokens: (directoryId, id) =>
    db.transaction(async (trx) => {
      const client = await lockClient(trx, directoryId, id);
      if (!client) return undefined;
      await deleteTokens(trx, directoryId, id);
      await recordClientAct(trx, 'scim_client.tokens_revoked', client);
      return client;
    }),

  async hasActive(directoryId, at) {
    const active = await activeClients(db, directoryId, at).first<{ id: string } | undefined>('id');
    return active !== undefined;
  },

  async findWithSecret(id) {
    const row = await db('scim_clients as c')
      .join('directories as d', 'd.id', 'c.directory_id')
      .where({ 'c.id': id })
      .first<ClientRow | undefined>('c.*');
    return row && { client: toClient(row), secretHash: row.secret_hash };
  },

  addToken: ({ directoryId, clientId, hash, expiresAt }) =>
    db.transaction(async (trx) => {
      const client = await lockClient(trx, directoryId, clientId);
      if (!client || client.revokedAt) return false;
      await trx('scim_access_tokens').insert({
        directory_id: directoryId,
        client_id: clientId,
        hash,
        expires_at: trx.raw('least(cast(? as timestamptz), (select expires_at from scim_clients where directory_id = ? and id = ?))', [
          expiresAt,
          directoryId,
          clientId,
        ]),
      });
      await trx.raw(
        `delete from scim_access_tokens where directory_id = :directoryId and client_id = :clientId and hash in (
           select hash from scim_access_tokens where directory_id = :directoryId and client_id = :clientId
           order by created_at desc offset :maxTokensPerClient)`,
        { directoryId, clientId, maxTokensPerClient },
      );
      await trx('scim_clients').where({ directory_id: directoryId, id: clientId }).update({ last_used_at: trx.fn.now() });
      return true;
    }),

  async dropExpiredTokens(limit) {
    const { rowCount } = await db.raw<{ rowCount: number }>(
      `delete from scim_access_tokens where (directory_id, hash) in (
         select directory_id, hash from scim_access_tokens where expires_at <= now() order by expires_at limit :limit for update skip locked)`,
      { limit },
    );
    return rowCount;
  },
});

const recordClientAct = (trx: Knex, action: AuditAction, { id, directoryId }: ScimClient, changes?: Changes) =>
  recordAct(trx, { action, directory: { id: directoryId }, targets: [{ type: 'scim_client', id }], ...(changes && { changes }) });

function describeUpdate(former: ScimClient, updated: ScimClient): Changes {
  const [from, to] = [former.expiresAt.toISOString(), updated.expiresAt.toISOString()];
  return {
    ...(former.name !== updated.name && { name: { from: former.name, to: updated.name } }),
    ...(from !== to && { expires_at: { from, to } }),
  };
}

async function assertFewerClients(trx: Knex, directoryId: string, at: Date): Promise<void> {
  const [counted] = await activeClients(trx, directoryId, at).count<[{ count: number }]>('* as count');
  if (counted!.count >= maxActiveClients)
    throw new AppError(
      'invalid_request',
      `A directory may have at most ${maxActiveClients} active OAuth clients (fixed limit): revoke one first.`,
    );
}

const activeClients = (db: Knex, directoryId: string, at: Date) =>
  db('scim_clients').where({ directory_id: directoryId, revoked_at: null }).where('expires_at', '>', at);

async function getClient(db: Knex, directoryId: string, id: string): Promise<ScimClient | undefined> {
  const row = await db('scim_clients').where({ directory_id: directoryId, id }).first<ClientRow | undefined>('*');
  return row && toClient(row);
}

async function lockClient(trx: Knex, directoryId: string, id: string): Promise<ScimClient | undefined> {
  const row = await trx('scim_clients').where({ directory_id: directoryId, id }).forUpdate().first<ClientRow | undefined>('*');
  return row && toClient(row);
}

const deleteTokens = (trx: Knex, directoryId: string, clientId: string) =>
  trx('scim_access_tokens').where({ directory_id: directoryId, client_id: clientId }).delete();

const toClient = (row: ClientRow): ScimClient => ({
  id: row.id,
  directoryId: row.directory_id,
  name: row.name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at ?? undefined,
  revokedAt: row.revoked_at ?? undefined,
});
