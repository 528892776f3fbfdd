import type { Keyring } from '../../keyring.ts';
import { findQuerySecrets, hostOf } from '../../directory/delivery/webhook-settings.ts';
import type { Knex } from 'knex';

/** `hostOf` as SQL for a column. A question mark is escaped: Knex would replace it by a parameter. */
export const hostSql = (column: string): string =>
  `coalesce(regexp_replace(substring(${column} from '^[^:/]+://([^/\\u003f#\\\\]*)'), '^.*@', ''), '')`;

export type SecretColumn =
  | 'scim_secret'
  | 'webhook_secret'
  | 'webhook_url'
  | 'google_access_token'
  | 'google_refresh_token'
  | 'google_service_account'
  | 'provider_link'
  | 'code_verifier'
  | 'setup_link';

/** Encrypts and decrypts secret columns. A value that is sealed for one column of one directory, or setup link, opens nowhere else. */
export interface SecretColumns {
  seal(directoryId: string, column: SecretColumn, plain: string): string;
  open(directoryId: string, column: SecretColumn, sealed: string): string;
}

export function createSecretColumns(keyring: Keyring): SecretColumns {
  return {
    seal: (directoryId, column, plain) => keyring.sealText(plain, secretContext(directoryId, column)),
    open: (directoryId, column, sealed) => keyring.openText(sealed, secretContext(directoryId, column)),
  };
}

export const secretContext = (directoryId: string, column: SecretColumn) => `directory:${directoryId}:${column}`;

/** `sealed_url` is the encrypted webhook address and `url` is its host. Both are null for an endpoint without a webhook. */
export interface AddressColumns {
  url: string | null;
  sealed_url: string | null;
}

export const toAddressColumns = (secrets: SecretColumns, directoryId: string, url: string): AddressColumns => ({
  url: hostOf(url),
  sealed_url: secrets.seal(directoryId, 'webhook_url', url),
});

/** Rows from an earlier version have only `url`: the plain address, or its host. */
export const openAddress = (secrets: SecretColumns, directoryId: string, { url, sealed_url: sealed }: AddressColumns): string | null =>
  sealed === null ? url : secrets.open(directoryId, 'webhook_url', sealed);

const lockNumber = 7_265_636_532;
const batchSize = 100;

/**
 * Encrypts webhook addresses that an earlier version stored in plain text, and reduces those in the delivery log to their hosts. Returns the
 * number of endpoints. One process at a time does this. After a crash, the next start continues.
 */
export async function sealAddresses(db: Knex, secrets: SecretColumns): Promise<number> {
  if ((await db('webhook_endpoints').where({ has_plain_address: true }).first('id')) === undefined) return 0;
  for (let total = 0; ;) {
    const count = await db.transaction((trx) => sealBatch(trx, secrets));
    total += count;
    if (count < batchSize) return total;
  }
}

interface PlainRow extends AddressColumns {
  id: string;
  directory_id: string;
}

async function sealBatch(trx: Knex.Transaction, secrets: SecretColumns): Promise<number> {
  await trx.raw('set local lock_timeout = 0; set local statement_timeout = 0');
  await trx.raw('select pg_advisory_xact_lock(?)', [lockNumber]);
  const rows = await trx('webhook_endpoints')
    .where({ has_plain_address: true })
    .orderBy('id')
    .limit(batchSize)
    .forUpdate()
    .select<PlainRow[]>('id', 'directory_id', 'url', 'sealed_url');
  if (rows.length === 0) return 0;
  // An attempt begins only under the lock of its endpoint, so this update misses none.
  await trx.raw(`update webhook_attempts set url = ${hostSql('url')} where directory_id = any(:ids) and url ~ '/'`, {
    ids: rows.map((row) => row.directory_id),
  });
  for (const { directory_id: directoryId, url } of rows)
    if (url !== null && URL.canParse(url))
      for (const secret of findQuerySecrets(new URL(url))) await redactResponses(trx, directoryId, secret);
  const sealed = rows.map((row) =>
    row.url === null || row.sealed_url !== null ? row : { ...row, ...toAddressColumns(secrets, row.directory_id, row.url) },
  );
  await trx.raw(
    `update webhook_endpoints e set url = given.url, sealed_url = given.sealed_url, has_plain_address = false
     from unnest(cast(:ids as uuid[]), cast(:urls as text[]), cast(:sealed as text[])) as given(id, url, sealed_url) where e.id = given.id`,
    { ids: rows.map(({ id }) => id), urls: sealed.map(({ url }) => url), sealed: sealed.map((row) => row.sealed_url) },
  );
  return rows.length;
}

/** Responses of receivers may repeat the query of the address. */
async function redactResponses(trx: Knex.Transaction, directoryId: string, secret: string): Promise<void> {
  await trx.raw(
    `update webhook_attempts set
       response_body = replace(response_body, :secret, '[redacted]'),
       response_headers = case when jsonb_typeof(response_headers) = 'object'
         then (select jsonb_object_agg(key, replace(value, :secret, '[redacted]')) from jsonb_each_text(response_headers))
         else response_headers end
     where directory_id = :directoryId and strpos(concat(response_body, response_headers), :secret) > 0`,
    { directoryId, secret },
  );
}
