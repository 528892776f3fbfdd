// Keeps tables in step with a directory: `node mirror.mjs`, or `node mirror.mjs --once` to stop when they are up to date.
import pg from 'pg';
import { createClient } from 'rollcall/client';
import { openPostgresStore } from './postgres-store.mjs';

const { DATABASE_URL, ROLLCALL_URL, ROLLCALL_API_KEY, ROLLCALL_DIRECTORY_ID: directoryId } = process.env;
const missing = ['DATABASE_URL', 'ROLLCALL_URL', 'ROLLCALL_API_KEY', 'ROLLCALL_DIRECTORY_ID'].filter((name) => !process.env[name]);
if (missing.length > 0) {
  console.error(`Missing variables: ${missing.join(', ')}.`);
  process.exit(1);
}

const pool = new pg.Pool({ connectionString: DATABASE_URL });
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());

const client = createClient({ baseUrl: ROLLCALL_URL, apiKey: ROLLCALL_API_KEY });
const { data, error } = await client.mirror(await openPostgresStore(pool, directoryId), {
  directoryId,
  follow: !process.argv.includes('--once'),
  signal: stop.signal,
  onRetry: ({ message }) => console.error(message),
});
await pool.end();
if (error) {
  console.error(error.message);
  process.exitCode = 1;
} else console.log(`Snapshots: ${data.snapshots}, events: ${data.events}`);
