import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createCsvDirectory, type People, toFiles } from '../support/csv-directory.ts';
import type { HeldWrites } from '../support/hold-writes.ts';
import { type Killable, startKillable } from '../support/killable.ts';
import { createManyPeople, manyPeopleEventCount } from '../support/many-people.ts';
import { everyRound } from '../support/rounds.ts';

const testTimeoutMs = 240_000;
let rollcall: Killable;
beforeAll(async () => {
  rollcall = await startKillable();
});
afterAll(() => rollcall.remove());

const nobody: People = { users: new Map(), groups: new Map(), members: new Set() };
// With how their statements begin: the sweep deletes files of earlier uploads.
const phases: [name: string, writes: HeldWrites][] = [
  ['receives users', [{ table: 'uploaded_rows', statement: 'with counted as' }]],
  ['receives memberships', [{ table: 'uploaded_members', statement: 'with counted as' }]],
  // The last statement of its transaction.
  ['completes the set', [{ table: 'audit_log', statement: 'insert into audit_log' }]],
];

it.each(everyRound.flatMap((round) => phases.map(([name, writes]) => ({ round, name, writes }))))(
  'changes nothing if its process is killed while it $name, and everything once the files are sent again (round $round)',
  async ({ writes }) => {
    const directory = await createCsvDirectory(rollcall);
    const upload = () =>
      directory.upload(toFiles(createManyPeople())).then(
        ({ status }) => status,
        () => 'none',
      );
    const { response } = await rollcall.killWhile(writes, async () => ({ response: upload() }));
    expect(await response).toBe('none');
    expect(await directory.runs()).toEqual([]);
    expect(await directory.expectSame(nobody)).toEqual([]);
    const run = await directory.sync(toFiles(createManyPeople()));
    expect([run.state, run.failed]).toEqual(['succeeded', 0]);
    expect(await directory.expectSame(createManyPeople())).toHaveLength(manyPeopleEventCount);
  },
  testTimeoutMs,
);
