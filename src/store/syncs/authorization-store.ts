import type { Knex } from 'knex';
import type { AuthorizationRequestStore } from '../../directory/sync/request-states.ts';
import type { AuthorizationStore } from '../../directory/sync/ports.ts';
import { accountInUse, accountMismatch } from '../../directory/sync/authorization-errors.ts';
import { recordAct } from '../audit/record-act.ts';
import { toConnectionColumns } from './connection-columns.ts';
import type { EmitOperatorEvent } from '../operator-events/operator-event-store.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';

/** Each update applies only if the authorization has not been replaced in the meantime. */
export const createAuthorizationStore = (db: Knex, secrets: SecretColumns, emitOperatorEvent: EmitOperatorEvent): AuthorizationStore => ({
  async saveTokens(directoryId, version, { accessToken, expiresAt, refreshToken }) {
    const renewed = { accessToken, accessTokenExpiresAt: expiresAt, ...(refreshToken !== undefined && { refreshToken }) };
    await db('directories')
      .where({ id: directoryId, google_authorization_version: version })
      .update(toConnectionColumns(directoryId, renewed, secrets));
  },

  markRevoked: (directoryId, version, reason) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId, google_authorization_version: version })
        .forNoKeyUpdate()
        .first<{ google_authorization_error: string | null } | undefined>('google_authorization_error');
      if (!directory) return 'replaced';
      if (directory.google_authorization_error !== null) return 'revoked';
      // The account of a consent is not signed. If it was never read, it may belong to somebody else, who must be able to connect it.
      await trx('directories')
        .where({ id: directoryId })
        .update({
          google_authorization_error: reason,
          provider_account_unread: false,
          provider_account: trx.raw('case when provider_account_unread then null else provider_account end'),
        });
      await emitOperatorEvent(trx, 'dsync.authorization_needed', directoryId, { reason });
      return 'revoked';
    }),
});

/**
 * Throws if a directory of another tenant has the account. The lock makes concurrent
 * callers wait, so two tenants cannot get the same account.
 */
export async function assertAccountIsFree(
  trx: Knex.Transaction,
  directory: { tenant: string; provider_account: string | null },
  account: string,
): Promise<void> {
  const { tenant, provider_account: own } = directory;
  if (own === account) return;
  if (own !== null) throw accountMismatch();
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended('provider account ' || ?, 0))`, [account]);
  const taken = await trx('directories').where({ provider_account: account }).whereNot({ tenant }).first<{ id: string } | undefined>('id');
  if (taken) throw accountInUse();
}

/** Limit per directory. */
const maxRequests = 100;

export const createAuthorizationRequestStore = (db: Knex, secrets: SecretColumns): AuthorizationRequestStore => ({
  async create({ id, directoryId, codeVerifier, ttlMs }) {
    await db.raw(
      `delete from authorization_requests where id in (select id from authorization_requests where expires_at < now() limit 1000)`,
    );
    return db.transaction(async (trx) => {
      // The lock lets concurrent requests share one verifier.
      await trx.raw(`select pg_advisory_xact_lock(hashtextextended('authorization ' || ?, 0))`, [directoryId]);
      const shared = (await findSealedVerifier(trx, directoryId)) ?? secrets.seal(directoryId, 'code_verifier', codeVerifier);
      await trx.raw(
        `insert into authorization_requests (id, directory_id, code_verifier, expires_at)
         select :id, id, :shared, now() + :ttlMs * interval '1 millisecond' from directories where id = :directoryId`,
        { id, directoryId, shared, ttlMs },
      );
      await trx.raw(
        `delete from authorization_requests where directory_id = :directoryId and id in (
           select id from authorization_requests where directory_id = :directoryId order by expires_at desc offset :maxRequests)`,
        { directoryId, maxRequests },
      );
      await recordAct(trx, { action: 'directory.authorization_started', directory: { id: directoryId } });
      return secrets.open(directoryId, 'code_verifier', shared);
    });
  },

  async find(id) {
    const row = await db('authorization_requests as r')
      .join('directories as d', 'd.id', 'r.directory_id')
      .where({ 'r.id': id })
      .whereRaw('r.expires_at > now()')
      .first<{ directory_id: string } | undefined>('r.directory_id');
    return row && { directoryId: row.directory_id };
  },

  async consume(id, directoryId) {
    const { rows } = await db.raw<{ rows: { directory_id: string; code_verifier: string; is_fresh: boolean }[] }>(
      `delete from authorization_requests r using directories d where r.id = :id and d.id = r.directory_id and (cast(:directoryId as uuid) is null or r.directory_id = :directoryId)
       returning r.directory_id, r.code_verifier, r.expires_at > now() as is_fresh`,
      { id, directoryId: directoryId ?? null },
    );
    const [row] = rows;
    if (!row?.is_fresh) return undefined;
    return { directoryId: row.directory_id, codeVerifier: secrets.open(row.directory_id, 'code_verifier', row.code_verifier) };
  },

  async findCodeVerifier(directoryId) {
    const sealed = await findSealedVerifier(db, directoryId);
    return sealed === undefined ? undefined : secrets.open(directoryId, 'code_verifier', sealed);
  },
});

async function findSealedVerifier(db: Knex, directoryId: string): Promise<string | undefined> {
  const row = await db('authorization_requests')
    .where({ directory_id: directoryId })
    .whereRaw('expires_at > now()')
    .orderBy('expires_at', 'desc')
    .first<{ code_verifier: string } | undefined>('code_verifier');
  return row?.code_verifier;
}
