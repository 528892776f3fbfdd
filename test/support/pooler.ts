import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { startChild } from '../../src/embedded/child.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { selectPostgresUser, transferOwnership } from '../../src/embedded/postgres-user.ts';
import { openDatabase } from '../../src/store/database.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type PooledDatabase = Awaited<ReturnType<typeof createPooledDatabase>>;

/** An empty database and its role, behind a PgBouncer in transaction mode with very few connections to Postgres. */
export async function createPooledDatabase() {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = new URL(process.env['TEST_POSTGRES_URL']!);
  const admin = openDatabase(server.href);
  await admin.raw(`create role ?? login password 'test'`, [name]);
  await admin.raw('create database ?? owner ??', [name, name]);
  const direct = openDatabase(server.href.replace(/\/postgres$/, `/${name}`));
  const folder = await temporaryFolder();
  const port = await findFreePort();
  await writeFile(folder.at('users.txt'), `"${name}" "test"\n`);
  await writeFile(
    folder.at('pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder.at('users.txt')}
admin_users = ${name}
pool_mode = transaction
default_pool_size = 2
`,
  );
  const url = `postgres://${name}:test@127.0.0.1:${port}/${name}`;
  const program = process.env['PGBOUNCER']!;
  const user = await selectPostgresUser(program);
  await transferOwnership(folder.path, user);
  const startPooler = () =>
    startChild({
      name: 'PgBouncer',
      command: [...user.prefix, program, folder.at('pgbouncer.ini')],
      spawnAs: user.spawnAs,
      stopSignal: 'TERM',
      isReady: () => canConnect(url),
    });
  let pooler = await startPooler();
  return {
    name,
    /** The address of the pooler. */
    url,
    /** Connects directly, as an administrator. */
    db: direct,
    /** Lets the pooler open new connections to Postgres. */
    reconnect: () => asClient(url.replace(/[^/]+$/, 'pgbouncer'), (client) => client.query('reconnect')),
    kill: () => pooler.kill(),
    async startAgain() {
      pooler = await startPooler();
    },
    async drop() {
      await pooler.kill();
      await direct.destroy();
      await admin.raw('drop database ?? with (force)', [name]);
      await admin.raw('drop role ??', [name]);
      await admin.destroy();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function asClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

const canConnect = (url: string) =>
  asClient(url, () => Promise.resolve(true)).catch((error: { code?: string }) => {
    if (error.code === 'ECONNREFUSED') return false;
    throw error;
  });
