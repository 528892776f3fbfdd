import { connect, createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { spawnRollcall } from '../support/process.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

/** A proxy to a database that breaks permanently at a statement with the given words. */
async function openBreakingProxy(url: string, words: string) {
  const [start, end] = [new URL(url), new URL(url)];
  const way = createServer((near) => {
    const far = connect(Number(end.port), end.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
    }
    far.pipe(near);
    near.on('data', (chunk: Buffer) => {
      if (!chunk.includes(words)) return far.write(chunk);
      way.close();
      return near.destroy();
    });
  });
  await once(way.listen(0, '127.0.0.1'), 'listening');
  start.port = String((way.address() as AddressInfo).port);
  return start.href;
}

async function migrate(databaseUrl: string): Promise<[number | null, string]> {
  const migrating = spawnRollcall({ command: ['migrate'], folder: folder.path, env: { LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl } });
  const { code } = await migrating.exited;
  return [code, migrating.output().trim()];
}

it('reports in a sentence that Postgres went away during the migration, and continues from there', async () => {
  const admin = openDatabase(process.env['TEST_POSTGRES_URL']!);
  await admin.raw('create database lost_postgres');
  const url = process.env['TEST_POSTGRES_URL']!.replace(/\/postgres$/, '/lost_postgres');
  try {
    const [code, output] = await migrate(await openBreakingProxy(url, 'create table directories'));
    expect([code, output]).toEqual([1, expect.stringMatching(/^[^\n]+Postgres[^\n]+$/)]);
    expect(await migrate(url)).toEqual([0, expect.stringContaining('up to date')]);
  } finally {
    await admin.raw('drop database lost_postgres with (force)');
    await admin.destroy();
  }
});
