import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { startPostgres, type EmbeddedPostgres } from '../../src/embedded/postgres.ts';
import { type EmbeddedTemporal, findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { createDocument } from '../../src/http/openapi/document.ts';
import { workflowInterceptorModules, workflowPreloads, workflowsPath } from '../../src/paths.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { searchAttributes } from '../../src/temporal/names.ts';

export interface Servers {
  postgres: EmbeddedPostgres;
  temporal: EmbeddedTemporal;
  folder: string;
}

/** Makes workflows continue as new early, without thousands of events. */
const shortHistories = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=100'];

const throwAwayData = ['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off', '-c', 'max_connections=200'];

export default async function globalSetup() {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-test-'));
  const [postgres, temporal, bundle] = await Promise.all([
    startTemplate(join(folder, 'postgres')),
    findTemporal({
      binary: process.env['TEMPORAL_BINARY'],
      path: process.env['PATH'],
      root: join(import.meta.dirname, '../..'),
    }).then((command) => startTemporal({ command, searchAttributes, flags: shortHistories })),
    writeBundle(join(folder, 'workflows.cjs')),
  ]);
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  process.env['TEST_TEMPORAL_ADDRESS'] = temporal.address;
  process.env['TEST_WORKFLOW_BUNDLE'] = bundle;
  process.env['TEST_OPENAPI_DOCUMENT'] = await writeOpenApiDocument(join(folder, 'openapi.json'));
  Object.assign(globalThis, { servers: { postgres, temporal, folder } satisfies Servers });
}

async function startTemplate(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ dataDir, password: 'test', flags: throwAwayData });
  const admin = openDatabase(postgres.url);
  await admin.raw('create database rollcall_template');
  await admin.destroy();
  await migrate(postgres.url.replace(/\/postgres$/, '/rollcall_template'));
  return postgres;
}

async function writeOpenApiDocument(file: string): Promise<string> {
  await writeFile(file, JSON.stringify(createDocument({ baseUrl: 'https://sync.example', version: 'test', limiting: true })));
  return file;
}

async function writeBundle(file: string): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules,
    preloadModules: workflowPreloads,
    logger: new DefaultLogger('WARN'),
  });
  await writeFile(file, code);
  return file;
}
