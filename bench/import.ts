import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportReport } from '../src/directory/import/report.ts';
import { startPostgres } from '../src/embedded/postgres.ts';
import { packageRoot } from '../src/paths.ts';
import { openDatabase } from '../src/store/database.ts';
import { migrate } from '../src/store/migrations/migrate.ts';
import { fillPolis, polisTablesSql } from './import/fill-polis.ts';
import type { Cleanup } from './support/cleanup.ts';
import { introduce } from './support/machine.ts';
import type { Options } from './support/options.ts';
import { assertProc, readMemory, readPeakRssKiB } from './support/processes.ts';
import { makeFolder } from './support/servers.ts';
import { formatNumber, printTarget, startTable } from './support/table.ts';

const introduction = `
\`rollcall import polis\` moves an encrypted database of Polis: users in three directories, each user in three of a hundred groups of its directory.
Both databases are in one Postgres. Then the import is repeated, which compares everything and writes nothing. Growth is the peak of the
process's memory above its memory when it begins to read.
`;

const directories = 3;
const targetUsersPerSecond = 2_000;
const targetGrowthMiB = 150;
const maxUsers = 100_000;

export async function measureImport({ users: requestedUsers }: Options, cleanup: Cleanup): Promise<object> {
  assertProc();
  const machine = introduce(introduction);
  const users = Math.min(requestedUsers, maxUsers);
  const folder = await makeFolder(cleanup);
  const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), password: 'bench' });
  cleanup.add(() => postgres.stop());
  const admin = openDatabase(postgres.url);
  for (const name of ['polis', 'rollcall']) await admin.raw('create database ??', [name]);
  await admin.destroy();
  const urlOf = (name: string) => postgres.url.replace(/\/postgres$/, `/${name}`);
  await migrate(urlOf('rollcall'));
  const encryptionKey = randomBytes(32);
  const polis = openDatabase(urlOf('polis'));
  await polis.raw(polisTablesSql);
  await fillPolis(polis, { directories, users, groupsPerDirectory: 100, groupsPerUser: 3, encryptionKey });
  await polis.destroy();
  const source = ['--source', urlOf('polis'), '--source-encryption-key', encryptionKey.toString('base64')];
  const environment = { DATABASE_URL: urlOf('rollcall'), ENCRYPTION_KEYS: randomBytes(32).toString('base64') };

  const print = startTable([
    { title: 'import', width: 10 },
    { title: 'users', width: 8 },
    { title: 'memberships', width: 11 },
    { title: 's', width: 6 },
    { title: 'users/s', width: 8 },
    { title: 'MiB', width: 6 },
    { title: 'growth', width: 6 },
  ]);
  const results = [];
  for (const name of ['first', 'repeated']) {
    if (cleanup.signal.aborted) break;
    const result = { name, ...(await runImport(source, environment, cleanup)) };
    results.push(result);
    const { seconds, startMiB, growthMiB, report } = result;
    const { imported } = report.totals.users;
    print([
      name,
      String(imported),
      String(report.totals.memberships.imported),
      ...[seconds, imported / seconds, startMiB, growthMiB].map(formatNumber),
    ]);
  }
  console.log('');
  for (const { name, seconds, growthMiB, report } of results) {
    const title = `${name} import of ${users} users in ${directories} directories`;
    printTarget({
      title: `${title}: users per second`,
      value: report.totals.users.imported / seconds,
      relation: '≥',
      bound: targetUsersPerSecond,
      unit: '',
    });
    printTarget({ title: `${title}: memory growth`, value: growthMiB, relation: '<', bound: targetGrowthMiB, unit: ' MiB' });
  }
  return { machine, results };
}

const pollMs = 20;

/** Runs one import in its own process. The time includes the start of Node. */
async function runImport(source: string[], environment: Record<string, string>, cleanup: Cleanup) {
  const startedMs = performance.now();
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [join(packageRoot, 'dist/src/main.js'), 'import', 'polis', ...source, '--json'], {
    env: { PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  cleanup.add(async () => {
    child.kill();
    await exited;
  });
  let [stdout, stderr, isRunning] = ['', '', true];
  let [startKiB, peakKiB] = [0, 0];
  void exited.finally(() => (isRunning = false));
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    if (startKiB === 0) startKiB = readMemory(child.pid!).rssKiB;
  });
  while (isRunning) {
    peakKiB = Math.max(peakKiB, readPeakRssKiB(child.pid!) || 0);
    await sleep(pollMs);
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`The import failed with ${code}: ${stderr}`);
  const report = JSON.parse(stdout) as ImportReport;
  return {
    seconds: (performance.now() - startedMs) / 1000,
    startMiB: startKiB / 1024,
    growthMiB: (peakKiB - startKiB) / 1024,
    report,
  };
}
