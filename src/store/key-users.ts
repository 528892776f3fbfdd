import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Keyring } from '../keyring.ts';

const beatMs = 30_000;
const stopTimeoutMs = 1_000;
/** A process that was not seen for so long has ended, or can't reach the database: it seals nothing here. */
export const keyUserTimeoutMs = 3 * beatMs;

export interface KeyUser {
  process: string;
  /** Of its keys, in their order: it seals with the first. */
  keyIds: string[];
  seenMsAgo: number;
}

export interface AnnouncedKeys {
  /** Running processes that can't read what this one encrypts. */
  lacking: number;
  stop(): Promise<void>;
}

/** Says in the database that this process runs and which keys it has, for `rollcall keys rewrap`. */
export async function announceKeys(db: Knex, { keyIds }: Keyring, everyMs = beatMs): Promise<AnnouncedKeys> {
  const process = randomUUID();
  // Its first key is used again, should a rewrap have found it unused while this process stood still.
  const beat = () =>
    db.raw(
      `with used as (insert into encryption_keys (id) values (:first) on conflict do nothing),
       gone as (delete from encryption_key_users where seen_at < now() - interval '1 day')
       insert into encryption_key_users (process, key_ids) values (:process, :keyIds)
       on conflict (process) do update set seen_at = now()`,
      { first: keyIds[0], process, keyIds },
    );
  await beat();
  const timer = setInterval(() => void beat().catch(() => undefined), everyMs);
  timer.unref();
  return {
    lacking: (await readKeyUsers(db)).filter((user) => !user.keyIds.includes(keyIds[0])).length,
    async stop() {
      clearInterval(timer);
      const leaving = db('encryption_key_users')
        .where({ process })
        .delete()
        .catch(() => undefined);
      // A database that hangs must not keep us: the row counts for nothing after a while.
      await Promise.race([leaving, sleep(stopTimeoutMs, undefined, { ref: false })]);
    },
  };
}

export async function readKeyUsers(db: Knex): Promise<KeyUser[]> {
  const { rows } = await db.raw<{ rows: { process: string; key_ids: string[]; seen_ms_ago: number }[] }>(
    `select process, key_ids, cast(extract(epoch from now() - seen_at) * 1000 as int) as seen_ms_ago from encryption_key_users
     where seen_at > now() - :timeoutMs * interval '1 millisecond'`,
    { timeoutMs: keyUserTimeoutMs },
  );
  return rows.map((row) => ({ process: row.process, keyIds: row.key_ids, seenMsAgo: row.seen_ms_ago }));
}
