import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../support/csv-directory.ts';
import type { HeldWrites } from '../support/hold-writes.ts';
import { type Killable, startKillable } from '../support/killable.ts';
import { changeRandomly } from '../support/random-people.ts';
import { everyRound } from '../support/rounds.ts';
import { createSeededRandom } from '../support/seed.ts';

const testTimeoutMs = 240_000;
let rollcall: Killable;
beforeAll(async () => {
  // Random changes may remove most of a small directory.
  rollcall = await startKillable({ env: { DSYNC_REMOVAL_PERCENT: '100', DSYNC_REMOVAL_COUNT: '1000' } });
});
afterAll(() => rollcall.remove());

/** Each set of files is written there, whatever has changed. With how the statements begin: the sweep deletes rows of earlier sets. */
const places: HeldWrites[] = [
  [{ table: 'uploaded_rows', statement: 'with counted as' }],
  [{ table: 'file_sets', statement: 'update "file_sets"' }],
  [{ table: 'sync_users', statement: 'with run as' }],
  [
    { table: 'sync_users', statement: 'with run as' },
    { table: 'file_sets', statement: 'with finished as' },
  ],
];
const sets = 5;
/** Sets while which the process is killed. */
const killed = new Set([1, 2, 4]);

it.each(everyRound)(
  'ends in equality with the last files, if its process is killed at random and the job sends each set again (round %i)',
  async () => {
    const random = createSeededRandom();
    const directory = await createCsvDirectory(rollcall);
    const people: People = { users: new Map([['u0', { email: 'u0@acme.example', active: true }]]), groups: new Map(), members: new Set() };
    for (let set = 0; set < sets; set += 1) {
      const former = toFiles(people);
      for (let change = random.below(12); change > 0; change -= 1) changeRandomly(people, random);
      const files = toFiles(people);
      if (killed.has(set)) {
        // A replay of earlier files is overtaken by the newer ones.
        const sent = random.below(3) === 0 ? former : files;
        const place = places[random.below(places.length)]!;
        const { cutOff } = await rollcall.killWhile(place, async () => ({ cutOff: directory.upload(sent).catch(() => undefined) }));
        await cutOff;
      }
      for (let replay = random.below(2); replay >= 0; replay -= 1) expect((await directory.upload(files)).status).toBe(202);
      expect(await directory.untilIdle()).toMatchObject({ state: 'succeeded', failed: 0 });
      await directory.expectSame(people);
    }
  },
  testTimeoutMs,
);
