import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { startPostgres } from '../../src/embedded/postgres.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrate, readSchemaState } from '../../src/store/migrations/migrate.ts';
import { migrationNames } from '../../src/store/migrations/index.ts';
import { runRollcall, startRollcallCommand } from '../cli/run-rollcall.ts';
import { createSeededRandom } from '../support/seed.ts';
import { temporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { withPostgres } from '../../src/embedded/running-servers.ts';

const rounds = Number(process.env['CRASH_ROUNDS'] ?? 3);
const random = createSeededRandom();
const users = 20_000;
const directoryId = '00000000-0000-4000-8000-000000000001';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await makeSource('source', migrationNames, fill);
  await runRollcall(['backup', folder.at('whole.backup')], place('source'));
}, 240_000);
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
});

const place = (data: string) => ({ folder: folder.path, env: { ROLLCALL_DATA_DIR: folder.at(data) } });

/** The data folder of a stopped service, with these migrations. */
async function makeSource(name: string, migrations: string[], work: (db: Knex) => Promise<unknown>): Promise<void> {
  await mkdir(folder.at(name), { mode: 0o700 });
  await writeFile(folder.at(name, 'postgres-password'), 'password\n');
  const postgres = await startPostgres({ dataDir: folder.at(name, 'postgres'), password: 'password' });
  await migrate(postgres.url, { upTo: migrations });
  await onDatabase(postgres.url, work);
  await postgres.stop();
}

async function onDatabase<T>(url: string, work: (db: Knex) => Promise<T>): Promise<T> {
  const db = openDatabase(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const fill = (db: Knex) =>
  db.raw(`
    insert into all_directories (id, tenant, product, name, type) values ('${directoryId}', 'acme', 'app', '', 'generic-scim-v2');
    insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
      select '${directoryId}', gen_random_uuid(), 'user ' || n, 'user ' || n, true, 'Ada', E'a\\\\b\\t\\n', 'ada' || n || '@example.com',
        jsonb_build_object('number', 12345678901234567890 + n, 'note', repeat(md5(n::text), 10)), now(), now()
      from generate_series(1, ${users}) n`);

/** All rows, with all digits of their values. */
const digest = (name: string) =>
  withPostgres(folder.at(name), (url) =>
    onDatabase(url, async (db) => {
      const { rows } = await db.raw<{ rows: { digest: string }[] }>(
        `select count(*) || ' ' || md5(string_agg(md5(u::text), '' order by id)) as digest from users u`,
      );
      return rows[0]!.digest;
    }),
  );

it(
  'a killed backup does not change the previous file, and leaves no lasting partial file',
  async () => {
    const file = folder.at('again.backup');
    await writeFile(file, await readFile(folder.at('whole.backup')));
    for (let round = 1; round <= rounds; round += 1) {
      const killed = startRollcallCommand(['backup', file], place('source'));
      let hasEnded = false;
      void killed.ended.then(() => (hasEnded = true));
      // On a busy machine it may end before the test notices it.
      const partial = await until(
        async () => (await readdir(folder.path)).find((name) => name.startsWith('again.backup.partial-')) ?? (hasEnded && 'none'),
        { timeoutMs: 60_000 },
      );
      const enough = random.below(1_000_000);
      await until(async () => !existsSync(folder.at(partial)) || (await stat(folder.at(partial))).size > enough, {
        everyMs: 1,
        timeoutMs: 30_000,
      });
      killed.signal('SIGKILL');
      await killed.ended;
      const restorable = await readFile(file);
      expect(restorable.subarray(0, 17).toString()).toBe('rollcall-backup 1');
    }
    const finished = await runRollcall(['backup', file, '--json'], place('source'));
    expect([finished.code, finished.stderr]).toEqual([0, expect.any(String)]);
    expect((await readdir(folder.path)).filter((name) => name.includes('partial'))).toEqual([]);
  },
  120_000 + rounds * 40_000,
);

/** The bytes of all files of a data folder. */
async function sizeOf(name: string): Promise<number> {
  const entries = await readdir(folder.at(name), { recursive: true }).catch(() => []);
  const sizes = entries.map((entry) =>
    stat(folder.at(name, entry)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The restore renames the database, or is about to. */
const isLoaded = (name: string) => ['restored', 'postgres'].some((one) => existsSync(folder.at(name, one)));

it(
  'a killed restore leaves a folder that is empty or complete',
  async () => {
    const [expected, sizeOfSource] = [await digest('source'), await sizeOf('source')];
    for (let round = 1; round <= rounds; round += 1) {
      const name = `target-${round}`;
      const killed = startRollcallCommand(['restore', folder.at('whole.backup')], place(name));
      let hasEnded = false;
      void killed.ended.then(() => (hasEnded = true));
      // While it prepares, migrates or loads, or once it has loaded everything.
      const enough = random.below(sizeOfSource);
      const isLate = random.below(4) === 0;
      const isReached = async () => (isLate ? isLoaded(name) : (await sizeOf(name)) > enough);
      await until(async () => hasEnded || (await isReached()), { everyMs: 2, timeoutMs: 60_000 });
      killed.signal('SIGKILL');
      await killed.ended;
      const again = await runRollcall(['restore', folder.at('whole.backup')], place(name));
      expect([
        [0, false],
        [1, true],
      ]).toContainEqual([again.code, again.stderr.includes('is not empty (it contains postgres)')]);
      expect(await digest(name)).toBe(expected);
      expect((await readdir(folder.at(name))).filter((one) => /^restored$|restoring$/.test(one))).toEqual([]);
      await rm(folder.at(name), { recursive: true });
    }
  },
  120_000 + rounds * 60_000,
);

it('migrates a backup of an older version, and rejects one of a newer version', async () => {
  await makeSource('older', migrationNames.slice(0, 7), fill);
  await runRollcall(['backup', folder.at('older.backup')], place('older'));
  const restored = await runRollcall(['restore', folder.at('older.backup')], place('migrated'));
  expect([restored.code, restored.stderr]).toEqual([0, expect.any(String)]);
  expect(await digest('migrated')).toMatch(new RegExp(`^${users} `));
  expect(await withPostgres(folder.at('migrated'), (url) => onDatabase(url, readSchemaState))).toBe('known');

  await withPostgres(folder.at('older'), (url) => onDatabase(url, (db) => db('knex_migrations').insert({ name: '999_future', batch: 9 })));
  await runRollcall(['backup', folder.at('newer.backup')], place('older'));
  const rejected = await runRollcall(['restore', folder.at('newer.backup')], place('untouched'));
  expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining('was created by a newer version of Rollcall')]);
  expect(existsSync(folder.at('untouched'))).toBe(false);
}, 240_000);
