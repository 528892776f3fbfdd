import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { temporaryFolder } from './temporary-folder.ts';

const password = 'test';
const flags = ['-c', 'fsync=off', '-c', 'wal_level=replica', '-c', 'wal_keep_size=256MB'];

/** A migrated Postgres of the test, with a streaming replica made from a copy of its data folder. */
export async function startReplicatedDatabase() {
  const folder = await temporaryFolder();
  const [port, replicaPort] = [await findFreePort(), await findFreePort()];
  const startPrimary = () => startPostgres({ dataDir: folder.at('primary'), password, port, flags });
  let primary = await startPrimary();
  await migrate(primary.url);
  await primary.stop();
  await cp(folder.at('primary'), folder.at('replica'), { recursive: true });
  await writeFile(join(folder.at('replica'), 'standby.signal'), '');
  primary = await startPrimary();
  const from = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=replica`;
  const startReplica = () =>
    startPostgres({ dataDir: folder.at('replica'), password, port: replicaPort, flags: [...flags, '-c', `primary_conninfo=${from}`] });
  let replica: Awaited<ReturnType<typeof startReplica>> | undefined = await startReplica();
  const network = await openNetwork(replicaPort);
  const db = openDatabase(primary.url);
  const replicaUrl = new URL(replica.url);
  replicaUrl.port = String(network.port);

  return {
    url: primary.url,
    /** Through a network that can fail. */
    replicaUrl: replicaUrl.href,
    db,
    network,
    pauseReplay: () => onReplica(`select pg_wal_replay_pause()`, `select pg_get_wal_replay_pause_state() = 'paused' as done`),
    resumeReplay: () => onReplica(`select pg_wal_replay_resume()`, `select pg_get_wal_replay_pause_state() = 'not paused' as done`),
    async killReplica() {
      await replica?.kill();
      replica = undefined;
    },
    async startReplica() {
      replica = await startReplica();
    },
    async stop() {
      await db.destroy();
      network.close();
      await replica?.stop();
      await primary.stop();
      await folder[Symbol.asyncDispose]();
    },
  };

  async function onReplica(command: string, check: string) {
    const admin = openDatabase(replica!.url, { poolSize: 1 });
    try {
      await admin.raw(command);
      while (!(await isDone(admin, check)));
    } finally {
      await admin.destroy();
    }
  }
}

const isDone = async (admin: Knex, check: string) => (await admin.raw<{ rows: { done: boolean }[] }>(check)).rows[0]!.done;

/** Connects to a port of this machine. While it hangs, no byte passes and no connection ends. */
async function openNetwork(target: number) {
  const sockets = new Set<Socket>();
  let hangs = false;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('data', (chunk: Buffer) => hangs || other.write(chunk));
      one.once('close', () => {
        sockets.delete(one);
        if (!hangs) other.destroy();
      });
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    hang: () => void (hangs = true),
    /** What was lost stays lost. */
    resume() {
      hangs = false;
      for (const socket of sockets) socket.destroy();
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
