import { StartupError } from '../errors.ts';
import type { DatabaseOption } from './options.ts';

const example = "{ engine: 'sql', type: 'postgres', url: 'postgres://user:password@host:5432/rollcall', encryptionKey: '…' }";

export const createDbRequiredError = () => new StartupError(`db is required, for example db: ${example}.`);

export function readDatabaseUrl({ engine = 'sql', type = 'postgres', url, ssl, driver }: DatabaseOption): string {
  if (driver !== undefined)
    throw new StartupError(`db.driver is not supported: Rollcall connects to Postgres itself, for example db: ${example}.`);
  if (engine !== 'sql' || type !== 'postgres')
    throw new StartupError(
      `db.${engine === 'sql' ? 'type' : 'engine'} ${engine === 'sql' ? type : engine} is not supported: Rollcall requires Postgres, for example db: ${example}.`,
    );
  if (!url || !/^postgres(ql)?:/.test(url) || !URL.canParse(url))
    throw new StartupError(`db.url must be a Postgres address, for example db: ${example}.`);
  return withTls(new URL(url), ssl);
}

function withTls(url: URL, ssl: DatabaseOption['ssl']): string {
  if (!ssl) return url.href;
  const other = ssl === true ? undefined : Object.keys(ssl).find((name) => name !== 'rejectUnauthorized');
  if (other !== undefined)
    throw new StartupError(
      `db.ssl.${other} is not supported: set it in db.url, for example …/rollcall?sslmode=verify-full&sslrootcert=/etc/ca.pem.`,
    );
  url.searchParams.set('sslmode', ssl !== true && ssl.rejectUnauthorized === false ? 'no-verify' : 'verify-full');
  return url.href;
}

/**
 * Polis uses 32 characters of text whose bytes are the key. The service reads the same database with these bytes in base64. Rollcall's own
 * form, 32 bytes in base64, is used as it is.
 */
export function readEncryptionKey(key: string | undefined): string {
  if (key !== undefined && Buffer.byteLength(key) === 32) return Buffer.from(key).toString('base64');
  if (key !== undefined && /^[A-Za-z0-9+/]{43}=$/.test(key)) return key;
  throw new StartupError(
    'db.encryptionKey must have 32 characters (create one with `openssl rand -hex 16`): secrets are always stored encrypted.',
  );
}
