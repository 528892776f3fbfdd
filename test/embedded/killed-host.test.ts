import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { readProcessIdentity } from '../../src/embedded/processes.ts';
import { findTemporal, startTemporal } from '../../src/embedded/temporal.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

it.each(everyRound)(
  'brings both servers down with a Node process that is killed, and a new start waits for their end (round %i)',
  async () => {
    await using folder = await temporaryFolder();
    const command = await findTemporal({ binary: process.env['TEMPORAL_BINARY'], path: process.env['PATH'], root: packageRoot });
    const postgresOptions = { dataDir: folder.at('postgres'), password: 'test' };
    const temporalOptions = { command, databaseFile: folder.at('temporal.db'), searchAttributes: {} };

    const script = `
    const { startPostgres } = await import(${JSON.stringify(join(packageRoot, 'dist/src/embedded/postgres.js'))});
    const { startTemporal } = await import(${JSON.stringify(join(packageRoot, 'dist/src/embedded/temporal.js'))});
    const servers = await Promise.all([
      startPostgres(${JSON.stringify(postgresOptions)}),
      startTemporal(${JSON.stringify(temporalOptions)}),
    ]);
    console.log(JSON.stringify(servers.map((server) => server.pid())));`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    host.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const pids = JSON.parse(await until(() => output, { timeoutMs: 60_000 })) as number[];
    expect(await Promise.all(pids.map(readProcessIdentity))).toEqual([expect.any(String), expect.any(String)]);
    host.kill('SIGKILL');

    const servers = await Promise.all([startPostgres(postgresOptions), startTemporal(temporalOptions)]);
    expect(await Promise.all(pids.map(readProcessIdentity))).toEqual([undefined, undefined]);
    await Promise.all(servers.map((server) => server.kill()));
  },
  60_000,
);
