import pg from 'pg';
import { failToConnect } from '../migrations/migrate.ts';

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
