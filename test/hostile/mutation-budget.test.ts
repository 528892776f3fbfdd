import { describe, expect, it } from '@jest/globals';
import { decideOutcomes } from '../../src/directory/changes/apply-to-directory.ts';
import { readChange } from '../../src/directory/changes/read-change.ts';
import { createBudget, defaultBudgetLimits, type Budget } from '../../src/scim/budget.ts';
import { bulkRequest, decide, mutationOf, patchIn, readBulkMutation, snapshotOf, storedGroup, storedUser } from '../support/decide.ts';
import { statusOf } from '../support/status-of.ts';

const setTitle = (index: number) => ({ op: 'replace', path: 'title', value: `title ${index}` });
const times = <Value>(count: number, make: (index: number) => Value) => Array.from({ length: count }, (_, index) => make(index));
const overSteps = expect.objectContaining({ status: 413, detail: expect.stringContaining('MAX_MUTATION_STEPS') });
const overBytes = expect.objectContaining({ status: 413, detail: expect.stringContaining('MAX_MUTATION_BYTES') });

/** Stored before the limit on values of a resource existed. It may change, but not grow. */
const bloated = () => storedUser({ title: 'title', x: times(140_000, () => ({})) });
const manyEmails = () => storedUser({ emails: times(2_000, (index) => ({ value: `user${index}@example.com`, type: 'work' })) });
const largeText = () => storedUser({ notes: times(4, () => 'x'.repeat(250_000)) });

/** Without a budget these took 4 to 20 s. A tenth of that is usual; a busy machine takes several times as long. */
const maxCpuMs = 3_000;

async function measure<Result>(run: () => Promise<Result>) {
  const start = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(start);
  return { result, cpuMs: (user + system) / 1000 };
}

describe('Bulk request', () => {
  it('of 120 PATCHes on a user with 140,000 values is rejected as a whole, instead of copying them for each operation', async () => {
    const user = bloated();
    const titles = ['one', 'two'];
    const rename = (index: number) => patchIn(`/Users/${user.id}`, { op: 'replace', path: 'title', value: titles[index % 2] });
    const once = await decide([readBulkMutation(bulkRequest([rename(0)]))], { users: [user] });
    expect(once.writes.events).toHaveLength(1);
    const bulk = readBulkMutation(bulkRequest(times(120, rename)));
    const { result, cpuMs } = await measure(() => decide([bulk], { users: [bloated()].map((same) => ({ ...same, id: user.id })) }));
    expect(result.outcomes).toEqual([expect.objectContaining({ error: expect.objectContaining({ status: 413 }) })]);
    expect(result.writes).toMatchObject({ users: { updated: [] }, events: [] });
    expect(cpuMs).toBeLessThan(maxCpuMs);
  });

  it('of 8 PATCHes with 18 value paths each on a user with 2,000 e-mails is rejected as a whole', async () => {
    const user = manyEmails();
    const terms = (patch: number, path: number) => times(10, (term) => `value co "${patch}/${path}/${term}"`).join(' or ');
    const patches = times(8, (patch) =>
      patchIn(`/Users/${user.id}`, ...times(18, (path) => ({ op: 'remove', path: `emails[${terms(patch, path)}].display` }))),
    );
    const { result, cpuMs } = await measure(() => decide([readBulkMutation(bulkRequest(patches))], { users: [user] }));
    expect(result.outcomes).toEqual([expect.objectContaining({ error: overSteps })]);
    expect(cpuMs).toBeLessThan(maxCpuMs);
  });

  it('whose events would take too much memory is rejected as a whole', async () => {
    const user = largeText();
    const bulk = readBulkMutation(bulkRequest(times(60, (index) => patchIn(`/Users/${user.id}`, setTitle(index)))));
    const { outcomes, writes } = await decide([bulk], { users: [user] });
    expect(outcomes).toEqual([expect.objectContaining({ error: overBytes })]);
    expect(writes).toMatchObject({ users: { inserted: [], updated: [], deleted: [] }, events: [] });
  });

  it('that exceeds its budget changes nothing, and rolls back all that it changed', async () => {
    const [user, ada, staff] = [largeText(), storedUser({ userName: 'ada', externalId: 'a' }), storedGroup({ displayName: 'Staff' })];
    const held = {
      users: [user, ada],
      groups: [staff],
      memberships: [{ groupId: staff.id, memberId: ada.id, kind: 'user' as const, display: null }],
      pendingMembers: [{ groupId: staff.id, value: 'eve', valueKey: 'eve', display: null }],
    };
    const tooMuch = readBulkMutation(
      bulkRequest([
        { method: 'POST', path: '/Users', bulkId: 'eve', data: { userName: 'eve' } },
        {
          method: 'POST',
          path: '/Groups',
          bulkId: 'crew',
          data: { displayName: 'Crew', members: [{ value: 'nobody' }, { value: ada.id }] },
        },
        patchIn(
          `/Groups/${staff.id}`,
          { op: 'replace', path: 'displayName', value: 'Team' },
          { op: 'add', path: 'members', value: 'later' },
        ),
        { method: 'DELETE', path: `/Users/${ada.id}` },
        ...times(60, (index) => patchIn(`/Users/${user.id}`, setTitle(index))),
      ]),
    );
    const before = mutationOf({ kind: 'createUser', resourceId: storedUser().id, resource: { userName: 'ben' } });
    const takesNames = mutationOf({ kind: 'createUser', resourceId: storedUser().id, resource: { userName: 'EVE' } });
    const collides = mutationOf({ kind: 'createUser', resourceId: storedUser().id, resource: { userName: 'ada' } });
    const { outcomes, writes } = await decide([before, tooMuch, takesNames, collides], held);
    const alone = await decide([before, takesNames, collides], held);
    expect(outcomes[1]).toMatchObject({ error: overBytes });
    expect(outcomes.map(statusOf)).toEqual([undefined, 413, undefined, 409]);
    expect(writes).toEqual(alone.writes);
    expect([outcomes[0], outcomes[2], outcomes[3]]).toEqual(alone.outcomes);
  });

  it('has the same result each time it is tried', async () => {
    const user = largeText();
    for (const count of [25, 26, 27, 28, 29, 30, 31, 32, 33]) {
      const bulk = readBulkMutation(bulkRequest(times(count, (index) => patchIn(`/Users/${user.id}`, setTitle(index)))));
      const first = await decide([bulk], { users: [user] });
      const again = await decide([bulk], { users: [structuredClone(user)] });
      expect(again.outcomes).toEqual(first.outcomes);
    }
  });

  it('of 1,000 PATCHes on ordinary users succeeds', async () => {
    const users = times(1_000, (index) => storedUser({ emails: [{ value: `${index}@example.com`, type: 'work', primary: true }] }));
    const bulk = readBulkMutation(
      bulkRequest(
        users.map(({ id }, index) =>
          patchIn(`/Users/${id}`, setTitle(index), { op: 'replace', path: 'emails[type eq "work"].value', value: `n${index}` }),
        ),
      ),
    );
    const { outcomes, writes } = await decide([bulk], { users });
    expect(outcomes[0]!.results!.every(({ version }) => version === 2)).toBe(true);
    expect(writes.events).toHaveLength(1_000);
  });
});

it('leaves to another transaction what is too much for one', async () => {
  const users = times(40, largeText);
  const mutations = users.map(({ id }, index) =>
    mutationOf({
      kind: 'patchUser',
      resourceId: id,
      operations: [{ op: 'replace', target: { path: { attribute: 'title' } }, value: `${index}` }],
    }),
  );
  const first = await decideOutcomes(mutations, snapshotOf({ users }));
  expect(first.outcomes.length).toBeGreaterThan(5);
  expect(first.outcomes.length).toBeLessThan(25);
  expect(first.outcomes.every(({ error }) => error === undefined)).toBe(true);
});

/** Replacing it compares it with the new value. */
describe('a small PUT', () => {
  const wide = { x: Object.fromEntries(times(20_000, (index) => [`name${index}`, index])) };
  const [user, group] = [storedUser(wide), storedGroup(wide)];
  const limits = { ...defaultBudgetLimits, maxSteps: 20_000 };

  it.each([
    ['a user', mutationOf({ kind: 'replaceUser', resourceId: user.id, resource: { userName: 'ada' } })],
    ['a group', mutationOf({ kind: 'replaceGroup', resourceId: group.id, resource: { displayName: 'Staff' } })],
  ])('counts the width of %s that it replaces', async (_, put) => {
    const held = snapshotOf({ users: [user], groups: [group] });
    const { outcomes } = await decideOutcomes([put], held, limits);
    expect(outcomes).toEqual([expect.objectContaining({ error: overSteps })]);
    expect((await decideOutcomes([put], held)).outcomes).toEqual([expect.objectContaining({ version: 2 })]);
  });
});

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const named = (count: number, name: (index: number) => string) => Object.fromEntries(times(count, (index) => [name(index), 'x']));
const longPath = (index: number) => `emails[b${index} pr${' or a pr'.repeat(60)}]`;

const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

function errorOf(method: 'POST' | 'PATCH', body: unknown, budget: Budget = createBudget()): unknown {
  try {
    return void readChange({ method, resourceType: 'User', resourceId: '01900000-0000-7000-8000-000000000000', body, budget });
  } catch (error) {
    return error;
  }
}

it.each<[string, number, () => object]>([
  ['paths in the URN of the core', 12, () => ({ op: 'add', value: { [core]: named(1_000, longPath) } })],
  ['short paths in the URN of the core', 290, () => ({ op: 'add', value: { [core]: named(1_000, (index) => `ims[a${index} pr]`) } })],
  ['names in an extension', 290, () => ({ op: 'add', path: enterprise, value: named(1_000, (index) => `name${index}`) })],
  ['names in an extension in a value', 290, () => ({ op: 'add', value: { [enterprise]: named(1_000, (index) => `name${index}`) } })],
])('a PATCH of %s is rejected before all of them are read', async (_title, count, operation) => {
  const body = { schemas: [patchUrn], Operations: times(count, operation) };
  const { result, cpuMs } = await measure(() => Promise.resolve(errorOf('PATCH', body)));
  expect(result).toMatchObject({ message: expect.stringContaining('MAX_MUTATION_STEPS') });
  expect(cpuMs).toBeLessThan(1_000);
});

it('a user with a thousand long paths as names is rejected, but not a thousand users with thirty names', () => {
  const paths = { userName: 'x', [core]: named(999, longPath) };
  expect(errorOf('POST', paths)).toMatchObject({ message: expect.stringContaining('MAX_MUTATION_STEPS') });
  const budget = createBudget();
  for (let user = 0; user < 1_000; user += 1)
    expect(errorOf('POST', { userName: 'x', ...named(30, (index) => `attribute${index}`) }, budget)).toBeUndefined();
  expect(budget.spent().steps).toBeLessThan(defaultBudgetLimits.maxSteps / 10);
});
