import type { Knex } from 'knex';
import type { AuthorizationRequestStore } from '../../directory/sync/authorize.ts';
import type { AuthorizationStore } from '../../directory/sync/ports.ts';
import { toHostedColumns } from '../hosted-columns.ts';
import type { TellOperator } from '../operator-events.ts';
import type { SecretColumns } from '../secret-columns.ts';

/** What is learnt of an authorisation is said of that one, and not of another that took its place meanwhile. */
export const createAuthorizationStore = (db: Knex, secrets: SecretColumns, tellOperator: TellOperator): AuthorizationStore => ({
  async saveTokens(directoryId, grant, { accessToken, expiresAt, refreshToken }) {
    const renewed = { accessToken, accessTokenExpiresAt: expiresAt, ...(refreshToken !== undefined && { refreshToken }) };
    await db('directories')
      .where({ id: directoryId, google_grant: grant })
      .update(toHostedColumns(directoryId, renewed, secrets));
  },

  lose: (directoryId, grant, reason) =>
    db.transaction(async (trx) => {
      const directory = await trx('directories')
        .where({ id: directoryId, google_grant: grant })
        .forNoKeyUpdate()
        .first<{ google_refused: string | null } | undefined>('google_refused');
      if (!directory) return 'replaced';
      if (directory.google_refused !== null) return 'lost';
      await trx('directories').where({ id: directoryId }).update({ google_refused: reason });
      await tellOperator(trx, 'dsync.authorization_needed', directoryId, { reason });
      return 'lost';
    }),
});

/** Whoever knows a directory's address can make them. */
const keptRequests = 20;

export const createAuthorizationRequestStore = (db: Knex, secrets: SecretColumns): AuthorizationRequestStore => ({
  async create({ id, directoryId, codeVerifier, ttlMs, grant }) {
    await db.raw(
      `delete from authorization_requests where id in (select id from authorization_requests where expires_at < now() limit 1000)`,
    );
    await db.raw(
      `insert into authorization_requests (id, directory_id, code_verifier, google_grant, expires_at)
       select :id, id, :sealed, :grant, now() + :ttlMs * interval '1 millisecond' from directories where id = :directoryId`,
      { id, directoryId, sealed: secrets.seal(directoryId, 'code_verifier', codeVerifier), grant: grant ?? null, ttlMs },
    );
    await db.raw(
      `delete from authorization_requests where directory_id = :directoryId and id in (
         select id from authorization_requests where directory_id = :directoryId order by expires_at desc offset :keptRequests)`,
      { directoryId, keptRequests },
    );
  },

  async take(id, directoryId) {
    const { rows } = await db.raw<{
      rows: { directory_id: string; code_verifier: string; google_grant: number | null; is_fresh: boolean }[];
    }>(
      `delete from authorization_requests r using directories d where r.id = :id and d.id = r.directory_id and (cast(:directoryId as uuid) is null or r.directory_id = :directoryId)
       returning r.directory_id, r.code_verifier, r.google_grant, r.expires_at > now() as is_fresh`,
      { id, directoryId: directoryId ?? null },
    );
    const [row] = rows;
    if (!row?.is_fresh) return undefined;
    const codeVerifier = secrets.open(row.directory_id, 'code_verifier', row.code_verifier);
    return { directoryId: row.directory_id, codeVerifier, grant: row.google_grant ?? undefined };
  },

  async findNewest(directoryId) {
    const row = await db('authorization_requests')
      .where({ directory_id: directoryId })
      .whereRaw('expires_at > now()')
      .orderBy('expires_at', 'desc')
      .first<{ id: string; code_verifier: string } | undefined>('id', 'code_verifier');
    return row && { id: row.id, codeVerifier: secrets.open(directoryId, 'code_verifier', row.code_verifier) };
  },
});
