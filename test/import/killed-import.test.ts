import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fillPolis } from '../../bench/import/fill-polis.ts';
import type { ImportReport } from '../../src/directory/import/report.ts';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { runRollcall, startRollcallCommand } from '../cli/run-rollcall.ts';
import { cloneDatabase } from '../support/database.ts';
import { targetEnv } from '../support/import-polis.ts';
import { createPolisTables, type PolisTables } from '../support/polis-tables.ts';
import { createSeededRandom } from '../support/seed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 3);
const random = createSeededRandom();
const directories = 3;
const usersPerDirectory = 2_000;
const encryptionKey = randomBytes(32);

let polis: PolisTables;
let ids: string[];
beforeAll(async () => {
  polis = await createPolisTables();
  ids = await fillPolis(polis.db, {
    directories,
    users: directories * usersPerDirectory,
    groupsPerDirectory: 20,
    groupsPerUser: 2,
    encryptionKey,
  });
}, 120_000);
afterAll(async () => polis?.drop());

it(
  'an import that is killed leaves each directory complete or absent, and is completed by the next one',
  async () => {
    const seen = { absent: 0, complete: 0 };
    for (let round = 1; round <= rounds; round += 1) {
      const target = await cloneDatabase();
      const args = ['import', 'polis', '--source', polis.url, '--source-encryption-key', encryptionKey.toString('base64'), '--json'];
      const place = { env: targetEnv(target.url) };
      const killed = startRollcallCommand(args, place);
      let hasEnded = false;
      void killed.ended.then(() => (hasEnded = true));
      await until(() => hasEnded || killed.stderr().includes('Reading'), { everyMs: 1, timeoutMs: 60_000 });
      // While it reads, stages or writes any of the directories; in the first round, when it has written one.
      const isWritten = async () => (await target.db('imported_directories')).length > 0;
      if (round === 1) await until(async () => hasEnded || (await isWritten()), { everyMs: 5, timeoutMs: 60_000 });
      else await Promise.race([killed.ended, delay(random.below(3_000))]);
      killed.signal('SIGKILL');
      await killed.ended;
      for (const id of ids) {
        const found = await target.db('directories').where({ id }).first<{ user_count: number; membership_count: number } | undefined>();
        const count = async (table: string) =>
          (await target.db(table).where({ directory_id: id }).count<{ count: number }[]>('* as count'))[0]!.count;
        const figures = [found?.user_count ?? 0, found?.membership_count ?? 0, await count('users'), await count('imported_directories')];
        expect(figures).toEqual(found ? [usersPerDirectory, 2 * usersPerDirectory, usersPerDirectory, 1] : [0, 0, 0, 0]);
        seen[found ? 'complete' : 'absent'] += 1;
      }
      const resumed = await runRollcall(args, place);
      expect([resumed.code, resumed.stderr]).toEqual([0, expect.any(String)]);
      const report = JSON.parse(resumed.stdout) as ImportReport;
      expect(report.totals).toMatchObject({ failed: 0, users: { imported: directories * usersPerDirectory } });
      for (const { checksums } of report.directories) expect(checksums!.target).toEqual(checksums!.source);
      await target.drop();
    }
    expect([seen.complete, seen.absent]).not.toContain(0);
    console.log(`directories after a kill: ${seen.complete} complete, ${seen.absent} absent`);
  },
  60_000 + rounds * 60_000,
);

it('imports into the data folder of a service that does not run', async () => {
  const folder = await temporaryFolder();
  try {
    const place = { folder: folder.path, env: { ROLLCALL_DATA_DIR: folder.path, POLIS_ENCRYPTION_KEY: encryptionKey.toString('base64') } };
    const args = ['import', 'polis', '--source', polis.url, '--tenant', 'tenant-1', '--json'];
    expect(await runRollcall(args, place)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Start Rollcall once, or set ENCRYPTION_KEYS'),
    });
    await writeFile(folder.at('postgres-password'), 'password\n');
    await writeFile(folder.at('encryption-key'), randomBytes(32).toString('base64'));
    const postgres = await startPostgres({ dataDir: folder.at('postgres'), password: 'password' });
    await migrate(postgres.url);
    await postgres.stop();
    const { code, stdout } = await runRollcall(args, place);
    expect([code, (JSON.parse(stdout) as ImportReport).totals]).toMatchObject([
      0,
      { directories: 1, users: { imported: usersPerDirectory } },
    ]);
  } finally {
    await folder[Symbol.asyncDispose]();
  }
}, 120_000);
