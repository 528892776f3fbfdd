import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../support/csv-directory.ts';
import { type HeldWrite, holdWrites } from '../support/hold-writes.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { changeRandomly } from '../support/random-people.ts';
import type { RunningRollcall } from '../support/process.ts';
import { everyRound } from '../support/rounds.ts';
import { createSeededRandom } from '../support/seed.ts';

const testTimeoutMs = 240_000;
let installation: Installation;
let running: RunningRollcall;
beforeEach(async () => {
  // Random changes may remove most of a small directory.
  installation = await createInstallation({ env: { DSYNC_REMOVAL_PERCENT: '100', DSYNC_REMOVAL_COUNT: '1000' } });
  running = await installation.start();
});
afterEach(async () => {
  await running.kill();
  await installation.remove();
});

/** Each set of files is written there, whatever has changed. */
const places: [HeldWrite, ...HeldWrite[]][] = [
  [{ table: 'uploaded_rows' }],
  [{ table: 'file_sets', statement: 'update "file_sets"' }],
  [{ table: 'sync_users' }],
  [{ table: 'sync_users' }, { table: 'file_sets', statement: 'with finished as' }],
];
/** A process that dies leaves its files for a while, and a directory may have 12 of them. */
const killed = new Set([1, 2, 4]);
const sets = 6;

it.each(everyRound)(
  'ends in equality with the last files, if its process is killed at random and the job sends each set again (round %i)',
  async () => {
    const random = createSeededRandom();
    const directory = await createCsvDirectory(installation);
    const people: People = { users: new Map([['u0', { email: 'u0@acme.example', active: true }]]), groups: new Map(), members: new Set() };
    for (let set = 0; set < sets; set += 1) {
      const former = toFiles(people);
      for (let change = random.below(12); change > 0; change -= 1) changeRandomly(people, random);
      const files = toFiles(people);
      if (killed.has(set)) {
        const place = places[random.below(places.length)]!;
        const hold = await holdWrites(installation.db, place);
        // A replay of earlier files is overtaken by the newer ones.
        const cutOff = directory.upload(random.below(3) === 0 ? former : files).catch(() => undefined);
        await hold.reached();
        await running.kill();
        await hold.release();
        await cutOff;
        running = await installation.start();
      }
      for (let replay = random.below(2); replay >= 0; replay -= 1) expect((await directory.upload(files)).status).toBe(202);
      expect(await directory.untilIdle()).toMatchObject({ state: 'succeeded', failed: 0 });
      await directory.expectSame(people);
    }
  },
  testTimeoutMs,
);
