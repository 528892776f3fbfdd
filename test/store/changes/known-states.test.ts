import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Change, Mutation } from '../../../src/directory/changes/mutation.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore, type ChangeStoreOptions } from '../../../src/store/changes/change-store.ts';
import { createKnownStates } from '../../../src/store/changes/known-states.ts';
import { cloneDatabase } from '../../support/database.ts';
import { anyStep, contentsOf, toChanges } from '../../support/random-changes.ts';
import { statusOf } from '../../support/status-of.ts';
import { randomRuns } from '../../support/random-runs.ts';

type Store = ReturnType<typeof createChangeStore>;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let directoryId: string;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());
beforeEach(async () => void (directoryId = await createDirectory()));

async function createDirectory(): Promise<string> {
  const id = newId();
  await database.db('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
  await database.db('webhook_endpoints').insert({ id: newId(), directory_id: id, url: 'http://127.0.0.1:1/' });
  return id;
}

/** A process that keeps what it knows of directories. */
function startProcess(options: ChangeStoreOptions = {}) {
  const clock = { ms: 0 };
  const known = createKnownStates({ forMs: 5_000, now: () => clock.ms });
  return { clock, known, store: createChangeStore(database.db, { returnsEvents: true, known, ...options }) };
}

const mutate = (change: Change): Mutation => ({ id: newId(), directoryId, ...change });
const createUser = (userName: string, more: object = {}) =>
  mutate({ kind: 'createUser', resourceId: newId(), resource: { userName, externalId: `id of ${userName}`, ...more } });
const activate = (resourceId: string, active: boolean) =>
  mutate({ kind: 'patchUser', resourceId, operations: [{ op: 'replace', target: { path: { attribute: 'active' } }, value: active }] });
const setNick = (resourceId: string, value: string) =>
  mutate({ kind: 'patchUser', resourceId, operations: [{ op: 'replace', target: { path: { attribute: 'nickName' } }, value }] });
const apply = (store: Store, ...mutations: Mutation[]) => applyInTransaction(store, mutations[0]!.directoryId, mutations);
const userOf = async (id: string) =>
  (await database.db('users').where({ directory_id: directoryId, id }).first('resource', 'active', 'version'))!;

/** The outcomes' errors, and how many statements were sent for them. */
async function count(store: Store, ...mutations: Mutation[]) {
  let statements = 0;
  const note = () => void (statements += 1);
  database.db.on('query', note);
  const { outcomes } = await apply(store, ...mutations).finally(() => database.db.off('query', note));
  return { statements, errors: outcomes.flatMap((outcome) => statusOf(outcome) ?? []) };
}

const [inOne, inTwo] = [
  { statements: 1, errors: [] },
  { statements: 2, errors: [] },
];

it('reads a directory once, and then creates users with one statement each', async () => {
  const { store } = startProcess();
  expect(await count(store, createUser('ada'))).toEqual(inTwo);
  expect(await count(store, createUser('ben'))).toEqual(inOne);
  expect(await count(store, createUser('cy'), createUser('dan'))).toEqual(inOne);
  expect(await database.db('stored_events').where({ directory_id: directoryId }).orderBy('sequence').pluck('sequence')).toEqual([
    1, 2, 3, 4,
  ]);
  expect(await database.db('directories').where({ id: directoryId }).first('user_count', 'last_sequence')).toEqual({
    user_count: 4,
    last_sequence: 4,
  });
});

it('changes a user that it wrote or changed before with one statement', async () => {
  const { store } = startProcess();
  const [ada, ben] = [createUser('ada'), createUser('ben')] as { resourceId: string }[] & Mutation[];
  await apply(createChangeStore(database.db), ada!);
  expect(await count(store, activate(ada!.resourceId, false))).toEqual(inTwo);
  expect(await count(store, setNick(ada!.resourceId, 'Countess'))).toEqual(inOne);
  expect(await count(store, ben!)).toEqual(inOne);
  expect(await count(store, setNick(ben!.resourceId, 'Benny'))).toEqual(inOne);
  expect(await userOf(ada!.resourceId)).toMatchObject({ resource: { userName: 'ada', nickName: 'Countess' }, active: false, version: 3 });
});

it('keeps what another process changed in a user that it knows', async () => {
  const [one, other] = [startProcess(), startProcess()];
  const ada = createUser('ada') as { resourceId: string } & Mutation;
  await apply(one.store, ada);
  await apply(one.store, activate(ada.resourceId, false));
  await apply(other.store, setNick(ada.resourceId, 'Countess'));
  // One statement that finds the directory changed, and two that read and write.
  expect((await count(one.store, activate(ada.resourceId, true))).statements).toBe(3);
  expect(await userOf(ada.resourceId)).toMatchObject({ resource: { nickName: 'Countess' }, active: true, version: 4 });
});

it('forgets users when it reads a directory that another process has changed', async () => {
  const [one, other] = [startProcess(), startProcess()];
  const ada = createUser('ada') as { resourceId: string } & Mutation;
  await apply(one.store, ada);
  await apply(other.store, setNick(ada.resourceId, 'Countess'));
  await apply(one.store, mutate({ kind: 'createGroup', resourceId: newId(), resource: { displayName: 'team' }, members: [] }));
  expect(await count(one.store, activate(ada.resourceId, false))).toEqual(inTwo);
  expect(await userOf(ada.resourceId)).toMatchObject({ resource: { nickName: 'Countess' }, active: false, version: 3 });
});

it('reads for each change, for a moment, after another process has changed the directory', async () => {
  const [one, other] = [startProcess(), startProcess()];
  await apply(one.store, createUser('ada'));
  await apply(other.store, createUser('ben'));
  expect((await count(one.store, createUser('cy'))).statements).toBe(3);
  expect(await count(one.store, createUser('dan'))).toEqual(inTwo);
  one.clock.ms += 5_000;
  expect(await count(one.store, createUser('eve'))).toEqual(inTwo);
  expect(await count(one.store, createUser('fay'))).toEqual(inOne);
});

it('finds a name that is taken, as if it had read', async () => {
  const { store, clock } = startProcess();
  await apply(store, createUser('ada'));
  expect((await count(store, createUser('ADA', { externalId: 'other' }))).errors).toEqual([409]);
  clock.ms += 5_000;
  await apply(store, createUser('ben'));
  expect((await count(store, createUser('cy', { externalId: 'id of ada' }))).errors).toEqual([409]);
  clock.ms += 5_000;
  await apply(store, createUser('dan'));
  expect((await count(store, createUser('eve'), createUser('EVE', { externalId: 'other' }))).errors).toEqual([409]);
});

it('adds a new user to the group that waits for it', async () => {
  const { store } = startProcess();
  const group = mutate({ kind: 'createGroup', resourceId: newId(), resource: { displayName: 'team' }, members: [{ value: 'id of ada' }] });
  await apply(store, group);
  await apply(store, createUser('ada'));
  expect(await database.db('group_members').where({ directory_id: directoryId }).pluck('member_id')).toHaveLength(1);
  expect(await database.db('pending_members').where({ directory_id: directoryId })).toEqual([]);
});

it('applies a mutation once that is tried again', async () => {
  const { store } = startProcess();
  const [ada, ben] = [createUser('ada'), createUser('ben')] as { resourceId: string }[] & Mutation[];
  await apply(store, ada!);
  for (const mutation of [activate(ada!.resourceId, false), ben!]) {
    const first = await apply(store, mutation);
    const again = await apply(store, mutation);
    expect(again.outcomes).toEqual(first.outcomes.map(({ user: _user, ...outcome }) => expect.objectContaining(outcome)));
  }
  expect(await database.db('stored_events').where({ directory_id: directoryId })).toHaveLength(3);
});

it('forgets users that were deleted or became large', async () => {
  const { store } = startProcess();
  const [ada, ben] = [createUser('ada'), createUser('ben')] as { resourceId: string }[] & Mutation[];
  for (const mutation of [ada!, ben!, setNick(ben!.resourceId, 'b'.repeat(5_000))]) await apply(store, mutation);
  expect(await count(store, activate(ben!.resourceId, false))).toEqual(inTwo);
  await apply(store, mutate({ kind: 'deleteUser', resourceId: ada!.resourceId }));
  expect((await count(store, activate(ada!.resourceId, false))).errors).toEqual([404]);
  expect(await userOf(ben!.resourceId)).toMatchObject({ resource: { nickName: 'b'.repeat(5_000) }, active: false });
});

it('reads again after a moment, so that it finds new quotas', async () => {
  const { store, clock } = startProcess();
  await apply(store, createUser('ada'));
  await database
    .db('directories')
    .where({ id: directoryId })
    .update({ quotas: { users: 1 } });
  clock.ms += 5_001;
  expect((await count(store, createUser('ben'))).errors).toEqual([403]);
  await database
    .db('directories')
    .where({ id: directoryId })
    .update({ quotas: { users: 2 } });
  expect((await count(store, createUser('ben'))).errors).toEqual([]);
  // What would exceed the quota that it knows is decided from what is read.
  await database
    .db('directories')
    .where({ id: directoryId })
    .update({ quotas: { users: 3 } });
  expect((await count(store, createUser('cy'))).errors).toEqual([]);
});

it('writes nothing to a directory that was deleted', async () => {
  const { store } = startProcess();
  await apply(store, createUser('ada'));
  await database.db.raw('update all_directories set deleting_at = now() where id = ?', [directoryId]);
  expect((await count(store, createUser('ben'))).errors).toEqual([404]);
  expect(await database.db('users').where({ directory_id: directoryId })).toHaveLength(1);
});

it('dates changes by the clock of the database', async () => {
  const { store, clock } = startProcess();
  await apply(store, createUser('ada'));
  clock.ms += 4_000;
  await apply(store, createUser('ben'));
  const [one, other] = await database.db('users').where({ directory_id: directoryId }).orderBy('user_name').pluck('created_at');
  expect(other.getTime() - one.getTime()).toBe(4_000);
});

it('assumes nothing after a statement that failed', async () => {
  const { store } = startProcess();
  await apply(store, createUser('ada'));
  await database.db.raw(`alter table users add constraint poison check (user_name <> 'ben' or directory_id <> '${directoryId}')`);
  await expect(apply(store, createUser('ben'))).rejects.toThrow('poison');
  await database.db.raw('alter table users drop constraint poison');
  expect(await count(store, createUser('ben'))).toEqual(inTwo);
});

it('ends with the same contents as a process that always reads, whoever applies each change', async () => {
  let assumed = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(anyStep, fc.nat(9)), { minLength: 5, maxLength: 25 }), async (steps) => {
      const [one, twin] = [await createDirectory(), await createDirectory()];
      const processes = [startProcess(), startProcess()];
      const plain = createChangeStore(database.db);
      for (const [index, change] of toChanges(steps.map(([step]) => step)).entries()) {
        const { store, known, clock } = processes[Number(steps[index]![1] === 0)]!;
        const assume = known.assume.bind(known);
        known.assume = (...given) => {
          const snapshot = assume(...given);
          assumed += Number(snapshot !== undefined);
          return snapshot;
        };
        // A pause after a wrong assumption ends, sometimes.
        clock.ms += steps[index]![1] * 500;
        const [outcome] = (await apply(store, { id: newId(), directoryId: one, ...change })).outcomes;
        const [expected] = (await apply(plain, { id: newId(), directoryId: twin, ...change })).outcomes;
        expect([outcome!.error, outcome!.version, outcome!.emitted]).toEqual([expected!.error, expected!.version, expected!.emitted]);
        known.assume = assume;
      }
      expect(await contentsOf(database.db, one)).toEqual(await contentsOf(database.db, twin));
    }),
    { numRuns: randomRuns(60) },
  );
  expect(assumed).toBeGreaterThan(20);
}, 120_000);

it('loses no change when several processes change the same users at the same time', async () => {
  const processes = [startProcess(), startProcess(), startProcess()];
  const users = Array.from({ length: 3 }, (_, index) => createUser(`user ${index}`)) as { resourceId: string }[] & Mutation[];
  await apply(processes[0]!.store, ...users);
  const rounds = 15;
  await Promise.all(
    processes.map(async ({ store, clock }, place) => {
      for (let round = 0; round < rounds; round += 1) {
        clock.ms += 2_000;
        const { outcomes } = await apply(
          store,
          createUser(`new ${place} ${round}`),
          ...users.map(({ resourceId }) =>
            mutate({
              kind: 'patchUser',
              resourceId,
              operations: [{ op: 'replace', target: { path: { attribute: 'nickName' } }, value: `${place} ${round}` }],
            }),
          ),
        );
        expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined, undefined, undefined]);
        for (const { resourceId } of users) await apply(store, activate(resourceId, round % 2 === 0));
      }
    }),
  );
  const events = await database.db('stored_events').where({ directory_id: directoryId }).orderBy('sequence').select('sequence', 'data');
  expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: events.length }, (_, index) => index + 1));
  expect(await database.db('directories').where({ id: directoryId }).first('user_count', 'last_sequence')).toEqual({
    user_count: users.length + processes.length * rounds,
    last_sequence: events.length,
  });
  // Each event shows the user as it was after the events before it.
  for (const { resourceId } of users) {
    const last = events.findLast(({ data }) => data.id === resourceId)!;
    const { resource, active } = await userOf(resourceId);
    expect([last.data.raw, last.data.active]).toEqual([{ ...resource, id: resourceId }, active]);
  }
});
