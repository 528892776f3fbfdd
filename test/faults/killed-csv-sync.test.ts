import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../support/csv-directory.ts';
import { type HeldWrite, holdWrites } from '../support/hold-writes.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { changed } from '../support/pulled-directories.ts';
import { everyRound } from '../support/rounds.ts';

const testTimeoutMs = 240_000;
let installation: Installation;
beforeEach(async () => {
  installation = await createInstallation();
});
afterEach(() => installation.remove());

const createPeople = (): People => ({
  users: new Map(Array.from({ length: 700 }, (_, index) => [`u${index}`, { email: `u${index}@acme.example`, active: true }])),
  groups: new Map(Array.from({ length: 30 }, (_, index) => [`g${index}`, `Group ${index}`])),
  members: new Set(Array.from({ length: 700 }, (_, index) => `g${index % 30} u${index}`)),
});
const nobody: People = { users: new Map(), groups: new Map(), members: new Set() };
const eventCount = 700 + 30 + 700;

type Writes = [HeldWrite, ...HeldWrite[]];

const uploadPhases: [name: string, writes: Writes][] = [
  ['receives users', [{ table: 'uploaded_rows' }]],
  ['receives memberships', [{ table: 'uploaded_members' }]],
  ['completes the set', [{ table: 'file_sets', statement: 'update "file_sets"' }]],
];
const runPhases: [name: string, writes: Writes][] = [
  ['reads users', [{ table: 'sync_users' }]],
  ['reads groups', [{ table: 'sync_groups' }]],
  ['reads memberships', [{ table: 'sync_members' }]],
  ['compares', [{ table: 'sync_changes' }]],
  ['applies a batch', [{ table: 'users' }]],
  ['counts a batch that it has applied', [{ table: 'users' }, { table: 'sync_runs', statement: 'update sync_runs set applied_place' }]],
  ['ends the run', [{ table: 'sync_users' }, { table: 'file_sets', statement: 'with finished as' }]],
];
const inEveryRound = (phases: typeof runPhases) => everyRound.flatMap((round) => phases.map(([name, writes]) => ({ round, name, writes })));

it.each(inEveryRound(uploadPhases))(
  'changes nothing if its process is killed while it $name, and everything once the files are sent again (round $round)',
  async ({ writes }) => {
    await using first = await installation.start();
    const directory = await createCsvDirectory(installation);
    const hold = await holdWrites(installation.db, writes);
    const answer = directory.upload(toFiles(createPeople())).then(
      ({ status }) => status,
      () => 'none',
    );
    await hold.reached();
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await hold.release();
    expect(await answer).toBe('none');

    await using second = await installation.start();
    expect(await directory.runs()).toEqual([]);
    expect(await directory.expectSame(nobody)).toEqual([]);
    const run = await directory.sync(toFiles(createPeople()));
    expect([run.state, run.failed]).toEqual(['succeeded', 0]);
    expect(await directory.expectSame(createPeople())).toHaveLength(eventCount);
    await second.kill();
  },
  testTimeoutMs,
);

it.each(inEveryRound(runPhases))(
  'emits each change once if its process is killed while it $name (round $round)',
  async ({ writes }) => {
    await using first = await installation.start();
    const directory = await createCsvDirectory(installation);
    const hold = await holdWrites(installation.db, writes);
    const { status, body } = await directory.upload(toFiles(createPeople()));
    expect(status).toBe(202);
    await hold.reached();
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await hold.release();

    await using second = await installation.start();
    const run = await directory.untilEnded(body.data.run_id);
    expect([run.state, run.failed]).toEqual(['succeeded', 0]);
    expect(await directory.expectSame(createPeople())).toHaveLength(eventCount);
    expect((await directory.sync(toFiles(createPeople()))).changed).toEqual(changed());
    expect(await directory.expectSame(createPeople())).toEqual([]);
    await second.kill();
  },
  testTimeoutMs,
);

/** The first of them is before the run has changed anything, and the second in between. */
const replacedPhases = runPhases.filter(([name]) => name === 'compares' || name === 'counts a batch that it has applied');

it.each(inEveryRound(replacedPhases))(
  'has what newer files say, if they are sent after its process was killed while it $name (round $round)',
  async ({ writes }) => {
    await using first = await installation.start();
    const directory = await createCsvDirectory(installation);
    const hold = await holdWrites(installation.db, writes);
    expect((await directory.upload(toFiles(createPeople()))).status).toBe(202);
    await hold.reached();
    expect(await first.kill()).toEqual({ code: null, signal: 'SIGKILL' });
    await hold.release();

    await using second = await installation.start();
    const later = createPeople();
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
    await second.kill();
  },
  testTimeoutMs,
);
