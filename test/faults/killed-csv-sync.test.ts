import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory, toFiles } from '../support/csv-directory.ts';
import type { HeldWrites } from '../support/hold-writes.ts';
import { type Killable, startKillable } from '../support/killable.ts';
import { createManyPeople, manyPeopleChanges, manyPeopleEventCount } from '../support/many-people.ts';
import { changed } from '../support/pulled-directories.ts';
import { everyRound } from '../support/rounds.ts';

const testTimeoutMs = 240_000;
let rollcall: Killable;
beforeAll(async () => {
  rollcall = await startKillable();
});
afterAll(() => rollcall.remove());

// With how their statements begin: the sweep deletes rows of earlier directories.
const applied: HeldWrites = [{ table: 'users' }, { table: 'sync_runs', statement: 'update sync_runs set applied_place' }];
// The first write of the comparison.
const compared: HeldWrites = [{ table: 'sync_changes', statement: 'delete from sync_changes where directory_id = $1 and run_id' }];
const phases: [name: string, writes: HeldWrites][] = [
  ['reads users', [{ table: 'sync_users', statement: 'with run as' }]],
  ['reads groups', [{ table: 'sync_groups', statement: 'with run as' }]],
  ['reads memberships', [{ table: 'sync_members', statement: 'with run as' }]],
  ['compares', compared],
  ['applies a batch', [{ table: 'users' }]],
  ['counts a batch that it has applied', applied],
  [
    'ends the run',
    [
      { table: 'sync_users', statement: 'with run as' },
      { table: 'file_sets', statement: 'with finished as' },
    ],
  ],
];

it.each(everyRound.flatMap((round) => phases.map(([name, writes]) => ({ round, name, writes }))))(
  'emits each change once if its process is killed while it $name (round $round)',
  async ({ writes }) => {
    const directory = await createCsvDirectory(rollcall);
    const { status, body } = await rollcall.killWhile(writes, () => directory.upload(toFiles(createManyPeople())));
    expect(status).toBe(202);
    const run = await directory.untilEnded(body.data.run_id);
    // A batch that is applied again without being recognized creates nothing twice, but it counts nothing either.
    expect([run.state, run.failed, run.changed]).toEqual(['succeeded', 0, manyPeopleChanges]);
    expect(await directory.expectSame(createManyPeople())).toHaveLength(manyPeopleEventCount);
    expect((await directory.sync(toFiles(createManyPeople()))).changed).toEqual(changed());
    expect(await directory.expectSame(createManyPeople())).toEqual([]);
  },
  testTimeoutMs,
);

/** The first of them is before the run has changed anything, and the second in between. */
const replacedPhases: [name: string, writes: HeldWrites][] = [
  ['compares', compared],
  ['counts a batch that it has applied', applied],
];

it.each(everyRound.flatMap((round) => replacedPhases.map(([name, writes]) => ({ round, name, writes }))))(
  'has what newer files say, if they are sent after its process was killed while it $name (round $round)',
  async ({ writes }) => {
    const directory = await createCsvDirectory(rollcall);
    expect((await rollcall.killWhile(writes, () => directory.upload(toFiles(createManyPeople())))).status).toBe(202);
    const later = createManyPeople();
    later.users.set('u0', { email: 'other@acme.example', active: false });
    later.users.delete('u1');
    later.members.delete('g1 u1');
    later.groups.set('g2', 'Renamed');
    later.members.add('g3 u0');
    expect((await directory.upload(toFiles(later))).status).toBe(202);
    const newest = await directory.untilIdle();
    expect([newest.state, newest.failed]).toEqual(['succeeded', 0]);
    await directory.expectSame(later);
    expect((await directory.sync(toFiles(later))).changed).toEqual(changed());
  },
  testTimeoutMs,
);
