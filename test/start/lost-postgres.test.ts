import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openBreakingProxy } from '../support/breaking-proxy.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { spawnRollcall } from '../support/process.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

async function migrate(databaseUrl: string): Promise<[number | null, string]> {
  const migrating = spawnRollcall({ command: ['migrate'], folder: folder.path, env: { LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl } });
  const { code } = await migrating.exited;
  return [code, migrating.output().trim()];
}

it('reports in a sentence that Postgres went away during the migration, and continues from there', async () => {
  const { url, drop } = await createEmptyDatabase();
  const proxy = await openBreakingProxy(url, { breaksForever: true });
  proxy.breakAt('create table directories', 'request');
  try {
    const [code, output] = await migrate(proxy.url);
    expect([code, output]).toEqual([1, expect.stringMatching(/^[^\n]+Postgres[^\n]+$/)]);
    expect(await migrate(url)).toEqual([0, expect.stringContaining('up to date')]);
  } finally {
    proxy.close();
    await drop();
  }
});
