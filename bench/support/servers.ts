import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { packageRoot } from '../../src/paths.ts';
import { openDatabase } from '../../src/store/database.ts';
import { searchAttributes } from '../../src/temporal/names.ts';
import type { Closing } from './closing.ts';
import { startTemporalServer, type TemporalServer } from './temporal-server.ts';

export interface Servers {
  postgresPid: number;
  postgresFolder: string;
  temporalPid: number;
  /** The Postgres of a Temporal server that is not the development server. */
  temporalPostgresPid: number | undefined;
  /** Its SQLite file. */
  temporalFile: string;
  temporalAddress: string;
  createDatabase(name: string): Promise<string>;
  createNamespace(name: string): Promise<string>;
}

/** Below `.rollcall`, where `npm start` keeps its data: a temporary folder may be in memory, where fsync costs nothing. */
export async function makeFolder(closing: Closing): Promise<string> {
  const parent = join(packageRoot, '.rollcall');
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(parent, 'bench-'));
  closing.add(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface ServerOptions {
  postgresFlags?: string[];
  /** A folder with the binaries of Temporal's server, to run that instead of the development server. */
  temporalServer?: string | undefined;
}

/** Postgres and Temporal as `npm start` runs them: the same code and settings, stored on disk. */
export async function startServers(closing: Closing, { postgresFlags = [], temporalServer }: ServerOptions = {}): Promise<Servers> {
  const folder = await makeFolder(closing);
  const postgresFolder = join(folder, 'postgres');
  const temporalFile = join(folder, 'temporal.db');
  const postgres = await startPostgres({ dataDir: postgresFolder, password: 'bench', flags: postgresFlags });
  closing.add(() => postgres.stop());
  closing.signal.throwIfAborted();
  const temporal = await (temporalServer === undefined
    ? startDevelopmentServer(temporalFile, closing)
    : startTemporalServer({ binaries: temporalServer, folder }, closing));
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

async function startDevelopmentServer(databaseFile: string, closing: Closing): Promise<TemporalServer> {
  const command = await findTemporal({ binary: process.env['TEMPORAL_BINARY'], path: process.env['PATH'], root: packageRoot });
  const temporal = await startTemporal({ command, databaseFile, searchAttributes });
  closing.add(() => temporal.stop());
  return { address: temporal.address, pid: temporal.pid(), postgresPid: undefined };
}
