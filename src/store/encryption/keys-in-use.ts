import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Keyring } from '../../keyring.ts';
import { waitAtMost } from '../../shared/timeout.ts';
import { StartupError } from '../../errors.ts';
import pg from 'pg';
import { failToConnect } from '../migrations/migrate.ts';

const heartbeatMs = 30_000;
const stopTimeoutMs = 1_000;
/** A process without a heartbeat for this long has ended or cannot reach the database, so it seals nothing. */
export const keyUserTimeoutMs = 3 * heartbeatMs;

/** How long clients may send back what only they have: the cursors of SCIM lists. The state of a consent expires earlier. */
const cursorsLastMs = 3_600_000;

export interface KeyUser {
  process: string;
  /** The IDs of its keys, in order. It seals with the first one. */
  keyIds: string[];
  seenMsAgo: number;
  /** It has ended, but cursors that it encrypted are still valid. */
  hasEnded: boolean;
}

export interface AnnouncedKeys {
  /** How many running processes cannot read what this process encrypts. */
  lacking: number;
  stop(): Promise<void>;
}

/** Registers this process and its keys in the database, for `rollcall keys rewrap`. */
export async function announceKeys(db: Knex, { keyIds }: Keyring, everyMs = heartbeatMs): Promise<AnnouncedKeys> {
  const process = randomUUID();
  // Registers the first key again in case `keys rewrap` retired it while this process was suspended.
  const sendHeartbeat = () =>
    db.raw(
      `with used as (insert into encryption_keys (id) values (:first) on conflict do nothing),
       gone as (delete from encryption_key_users where seen_at < now() - interval '1 day')
       insert into encryption_key_users (process, key_ids) values (:process, :keyIds)
       on conflict (process) do update set seen_at = now()`,
      { first: keyIds[0], process, keyIds },
    );
  await sendHeartbeat();
  const timer = setInterval(() => void sendHeartbeat().catch(() => undefined), everyMs);
  timer.unref();
  return {
    lacking: (await readKeyUsers(db)).filter(({ hasEnded, ...user }) => !hasEnded && !user.keyIds.includes(keyIds[0])).length,
    async stop() {
      clearInterval(timer);
      const leaving = db
        .raw(`update encryption_key_users set seen_at = now() - :timeoutMs * interval '1 millisecond' where process = :process`, {
          process,
          timeoutMs: keyUserTimeoutMs,
        })
        .catch(() => undefined);
      // Does not wait for a database that hangs: the row expires anyway.
      await waitAtMost(stopTimeoutMs, leaving);
    },
  };
}

/** The running processes, and those whose cursors are still valid. */
export async function readKeyUsers(db: Knex): Promise<KeyUser[]> {
  const { rows } = await db.raw<{ rows: { process: string; key_ids: string[]; seen_ms_ago: number }[] }>(
    `select process, key_ids, cast(extract(epoch from now() - seen_at) * 1000 as int) as seen_ms_ago from encryption_key_users
     where seen_at > now() - :timeoutMs * interval '1 millisecond'`,
    { timeoutMs: keyUserTimeoutMs + cursorsLastMs },
  );
  return rows.map((row) => ({
    process: row.process,
    keyIds: row.key_ids,
    seenMsAgo: row.seen_ms_ago,
    hasEnded: row.seen_ms_ago >= keyUserTimeoutMs,
  }));
}

/**
 * Fails if the database holds values that this process cannot decrypt, then registers this process's first key as used. No value is sealed
 * before that is committed, so the list of used keys is complete.
 */
export async function checkEncryption(db: Knex, keyring: Keyring): Promise<void> {
  // The value is never read. The ID of the transaction that wrote it identifies this database in feed cursors.
  await db.raw('insert into encryption_check (sealed) select ? where not exists (select from encryption_check)', [
    keyring.sealText('known', 'encryption check'),
  ]);
  const missing = (await readUsedKeys(db)).filter((id) => !keyring.keyIds.includes(id));
  if (missing.length > 0)
    throw new StartupError(
      `The secrets in this database were encrypted with another key. Add the key with the ID ${missing.join(', ')} to ENCRYPTION_KEYS (or to the data folder). It is in use until \`rollcall keys rewrap\` reports that it is not.`,
    );
  await db.raw('insert into encryption_keys (id) values (?) on conflict do nothing', [keyring.keyIds[0]]);
}

/** IDs of the keys that may have sealed values in this database or in Temporal. */
export const readUsedKeys = (db: Knex): Promise<string[]> => db('encryption_keys').orderBy('first_used_at').pluck<string[]>('id');

/** Whether a database may hold encrypted values, which a new key could not open. Changes nothing. */
export async function isEncrypted(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall', connectionTimeoutMillis: 10_000 });
  // A lost connection fails the query in progress. Without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect().catch(failToConnect);
  try {
    const { rows: tables } = await client.query<{ found: boolean }>(`select to_regclass('encryption_check') is not null as found`);
    if (!tables[0]!.found) return false;
    const { rows } = await client.query<{ found: boolean }>('select exists (select from encryption_check) as found');
    return rows[0]!.found;
  } finally {
    await client.end();
  }
}
