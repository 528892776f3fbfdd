import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../support/csv-directory.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { changed } from '../support/pulled-directories.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 240_000;
let installation: Installation;
beforeEach(async () => {
  installation = await createInstallation();
});
afterEach(() => installation.remove());

const people: People = {
  users: new Map(Array.from({ length: 700 }, (_, index) => [`u${index}`, { email: `u${index}@acme.example`, active: true }])),
  groups: new Map(Array.from({ length: 30 }, (_, index) => [`g${index}`, `Group ${index}`])),
  members: new Set(Array.from({ length: 700 }, (_, index) => `g${index % 30} u${index}`)),
};

/** How far the run is when its process is killed: a lock stops it there. */
const tables = ['sync_users', 'sync_groups', 'sync_members', 'sync_changes'];

it.each(everyRound.flatMap((round) => tables.map((table) => ({ round, table }))))(
  'tells each change once if its process is killed before it writes $table (round $round)',
  async ({ table }) => {
    await using first = await installation.start();
    const directory = await createCsvDirectory(installation);
    const lock = await installation.db.transaction();
    await lock.raw(`lock table ${table} in exclusive mode`);
    const { status, body } = await directory.upload(toFiles(people));
    expect(status).toBe(202);
    await until(async () => {
      const { rows } = await installation.db.raw<{ rows: object[] }>(
        `select 1 from pg_locks where not granted and relation = cast(? as regclass)`,
        [table],
      );
      return rows.length > 0;
    });
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await lock.rollback();

    await using second = await installation.start();
    const run = await directory.untilEnded(body.data.run_id);
    expect([run.state, run.failed]).toEqual(['succeeded', 0]);
    expect(await directory.expectSame(people)).toHaveLength(700 + 30 + 700);
    expect((await directory.sync(toFiles(people))).changed).toEqual(changed());
    expect(await directory.expectSame(people)).toEqual([]);
    await second.kill();
  },
  testTimeoutMs,
);
