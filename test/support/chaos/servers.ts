import { join } from 'node:path';
import { startPostgres } from '../../../src/embedded/postgres.ts';
import { findTemporal, startTemporal } from '../../../src/embedded/temporal.ts';
import { packageRoot } from '../../../src/paths.ts';
import { searchAttributes } from '../../../src/temporal/names.ts';
import { freeze } from '../process-tree.ts';

export type Outage = 'killed' | 'stopped' | 'frozen';

/** A server of this run that can be taken down. */
export interface OwnServer {
  name: 'Postgres' | 'Temporal';
  /** Returns a function that starts it again on the same port. */
  takeDown(how: Outage): Promise<() => Promise<void>>;
  end(): Promise<void>;
}

interface Running {
  port: number;
  pid(): number;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Only processes are killed, not the machine, so nothing has to reach the disk. */
const postgresFlags = ['-c', 'fsync=off'];

export async function startServers(folder: string) {
  const command = await findTemporal({ binary: process.env['TEMPORAL_BINARY'], path: process.env['PATH'], root: packageRoot });
  const databaseFile = join(folder, 'temporal.db');
  const runPostgres = (port?: number) =>
    startPostgres({ dataDir: join(folder, 'postgres'), password: 'chaos', flags: postgresFlags, ...(port !== undefined && { port }) });
  const runTemporal = (port?: number) => startTemporal({ command, databaseFile, searchAttributes, ...(port !== undefined && { port }) });
  const [postgres, temporal] = await Promise.all([runPostgres(), runTemporal()]);
  return {
    databaseUrl: postgres.url,
    temporalAddress: temporal.address,
    postgres: toOwnServer('Postgres', postgres, runPostgres),
    temporal: toOwnServer('Temporal', temporal, runTemporal),
  };
}

function toOwnServer(name: OwnServer['name'], first: Running, run: (port: number) => Promise<Running>): OwnServer {
  let server = first;
  return {
    name,
    async takeDown(how) {
      if (how === 'frozen') return (await freeze(server.pid())).thaw;
      await server[how === 'killed' ? 'kill' : 'stop']();
      return async () => void (server = await run(first.port));
    },
    end: () => server.kill(),
  };
}
