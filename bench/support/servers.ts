import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { packageRoot } from '../../src/paths.ts';
import { openDatabase } from '../../src/store/database.ts';
import { searchAttributes } from '../../src/temporal/names.ts';
import type { Cleanup } from './cleanup.ts';
import { startTemporalServer, type TemporalServer } from './temporal-server.ts';

export interface Servers {
  postgresPid: number;
  postgresFolder: string;
  temporalPid: number;
  /** The Postgres of a Temporal server that is not the development server. */
  temporalPostgresPid: number | undefined;
  /** The SQLite file of the development server. */
  temporalFile: string;
  temporalAddress: string;
  createDatabase(name: string): Promise<string>;
  createNamespace(name: string): Promise<string>;
}

/** Creates a folder below `.rollcall`, as for `npm start`: a temporary folder may be in memory, where fsync costs nothing. */
export async function makeFolder(cleanup: Cleanup): Promise<string> {
  const parent = join(packageRoot, '.rollcall');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, 'bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface ServerOptions {
  postgresFlags?: string[];
  /** A folder with the binaries of Temporal's server, to run that instead of the development server. */
  temporalServer?: string | undefined;
}

/** Starts Postgres and Temporal as `npm start` does: with the same code and settings, stored on disk. */
export async function startServers(cleanup: Cleanup, { postgresFlags = [], temporalServer }: ServerOptions = {}): Promise<Servers> {
  const folder = await makeFolder(cleanup);
  const postgresFolder = join(folder, 'postgres');
  const temporalFile = join(folder, 'temporal.db');
  const postgres = await startPostgres({ dataDir: postgresFolder, password: 'bench', flags: postgresFlags });
  cleanup.add(() => postgres.stop());
  cleanup.signal.throwIfAborted();
  const temporal = await (temporalServer === undefined
    ? startDevelopmentServer(temporalFile, cleanup)
    : startTemporalServer({ binaries: temporalServer, folder }, cleanup));
  return {
    postgresPid: postgres.pid(),
    postgresFolder,
    temporalPid: temporal.pid,
    temporalPostgresPid: temporal.postgresPid,
    temporalFile,
    temporalAddress: temporal.address,
    async createDatabase(name) {
      const admin = openDatabase(postgres.url);
      await admin.raw('create database ??', [name]);
      await admin.destroy();
      return postgres.url.replace(/\/postgres$/, `/${name}`);
    },
    async createNamespace(namespace) {
      const connection = await Connection.connect({ address: temporal.address });
      await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
      await connection.close();
      return namespace;
    },
  };
}

async function startDevelopmentServer(databaseFile: string, cleanup: Cleanup): Promise<TemporalServer> {
  const command = await findTemporal({ binary: process.env['TEMPORAL_BINARY'], path: process.env['PATH'], root: packageRoot });
  const temporal = await startTemporal({ command, databaseFile, searchAttributes });
  cleanup.add(() => temporal.stop());
  return { address: temporal.address, pid: temporal.pid(), postgresPid: undefined };
}
