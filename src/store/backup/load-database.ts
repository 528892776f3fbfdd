import { randomInt } from 'node:crypto';
import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { migrate } from '../migrations/migrate.ts';
import { copyIn } from './copy.ts';
import { quote, type BackupHeader, type BackupPart } from './dump-database.ts';
const maxAdvanced = 20_000;

/** Restores into a new database: migrates to the schema of the backup, loads all rows in one transaction, then applies newer migrations. */
export async function loadDatabase(
  url: string,
  header: BackupHeader,
  parts: AsyncGenerator<BackupPart>,
): Promise<{ tables: number; rows: number }> {
  await asClient(url, advanceTransactionIds);
  await migrate(url, { upTo: header.migrations });
  const loaded = await asClient(url, async (client) => {
    await advanceTransactionIds(client);
    return load(client, parts);
  });
  await migrate(url);
  await asClient(url, resumeWork);
  return loaded;
}

async function asClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'rollcall restore', connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Uses up a random number of transaction IDs. Feed cursors identify a database by the IDs of two transactions. If two restores had the same
 * IDs, a cursor of one would be accepted by the other and skip events.
 */
async function advanceTransactionIds(client: pg.Client): Promise<void> {
  await client.query('set synchronous_commit = off');
  await client.query(`do $$ begin for i in 1..${randomInt(maxAdvanced)} loop perform pg_current_xact_id(); commit; end loop; end $$`);
}

async function load(client: pg.Client, parts: AsyncGenerator<BackupPart>): Promise<{ tables: number; rows: number }> {
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  await client.query('begin');
  // Rows come table by table, so foreign keys cannot be checked. The rows were consistent in the dumped database.
  await client.query('set local session_replication_role = replica');
  const loaded = { tables: 0, rows: 0 };
  let part = await next(parts);
  while (part.kind !== 'end') {
    if (part.kind === 'table') {
      // Rows that a migration inserted.
      await client.query(`delete from ${quote(part.name)}`);
      const rows = takeRows(parts);
      const columns = part.columns.map(quote).join(', ');
      loaded.rows += await copyIn(client, `copy ${quote(part.name)} (${columns}) from stdin`, rows.chunks());
      loaded.tables += 1;
      part = rows.following();
      continue;
    }
    if (part.kind === 'sequences')
      for (const [name, value] of part.values) await client.query(`select setval($1::regclass, $2)`, [`public.${quote(name)}`, value]);
    part = await next(parts);
  }
  if (part.rows !== loaded.rows || part.tables !== loaded.tables) throw incomplete();
  await client.query('commit');
  await client.query('analyze');
  return loaded;
}

/** Yields the rows of one table, and keeps the part that follows them. */
function takeRows(parts: AsyncGenerator<BackupPart>) {
  let following: BackupPart | undefined;
  return {
    async *chunks() {
      for (;;) {
        const part = await next(parts);
        if (part.kind !== 'rows') {
          following = part;
          return;
        }
        yield part.bytes;
      }
    },
    following: () => following!,
  };
}

async function next(parts: AsyncGenerator<BackupPart>): Promise<BackupPart> {
  const { value, done } = await parts.next();
  if (done) throw incomplete();
  return value;
}

const incomplete = () => new StartupError('The backup is incomplete: it has fewer rows than its last part states.');

/**
 * A restored database has no workflows. Makes their work due immediately, so that the first maintenance run starts it: deliveries, replays,
 * deletions and sync runs. A sync run that was in progress fails and is requested again.
 */
async function resumeWork(client: pg.Client): Promise<void> {
  await client.query(`
    begin;
    delete from encryption_key_users;
    delete from delivery_workers;
    -- One that was ended after the backup must not come back.
    delete from sessions;
    delete from login_links;
    delete from setup_links;
    update webhook_endpoints set wake_at = null, worker_id = null, worker_epoch = null, activity_id = null,
      updated_at = least(updated_at, now() - interval '1 minute');
    update webhook_batches set next_attempt_at = least(next_attempt_at, now() - interval '1 minute') where status = 'pending';
    update all_directories set deleting_at = least(deleting_at, now() - interval '1 minute') where deleting_at is not null;
    update sync_runs set checked_at = now() - interval '1 minute' where state = 'queued';
    create temp table interrupted on commit drop as select directory_id, trigger, confirms from sync_runs where state = 'running';
    update sync_runs set state = 'failed', finished_at = now(), notice = null, error_code = 'internal',
      error = 'The database was restored during the sync. Another run replaces this one.' where state = 'running';
    insert into sync_runs (directory_id, id, state, trigger, confirms, checked_at)
      select directory_id, gen_random_uuid(), 'queued', trigger, confirms, now() - interval '1 minute' from interrupted;
    commit`);
}
