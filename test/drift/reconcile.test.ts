import { hash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { toResourceKey } from '../../src/directory/resources/resource-ids.ts';
import { createSeededRandom } from '../support/seed.ts';
import { shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await shareTestService();
});
afterAll(() => service.stop());

interface Item {
  id: string;
  hash?: string;
}
const pathOf = (directoryId: string) => `/api/v1/directory-sync/${directoryId}/reconcile`;
const post = (directory: Pick<TestDirectory, 'id'>, body: object) => service.api('POST', pathOf(directory.id), body);
const inOrder = <One extends { id: string }>(items: One[]) =>
  items.toSorted((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)));

/** Sends all items, page by page, as the documentation says. */
async function reconcile(directory: Pick<TestDirectory, 'id'>, items: Item[], more: object = { type: 'users' }, pageSize = 500) {
  const found = { missing: [] as string[], unknown: [] as string[], different: [] as string[], requests: 0 };
  const sorted = inOrder(items);
  for (let after: string | null = ''; after !== null;) {
    const start: number = sorted.findIndex(({ id }) => Buffer.compare(Buffer.from(id), Buffer.from(after!)) > 0);
    const left: Item[] = start === -1 ? [] : sorted.slice(start);
    const { status, body } = await post(directory, { ...more, after, items: left.slice(0, pageSize), last: left.length <= pageSize });
    expect([status, body.error]).toEqual([200, null]);
    for (const kind of ['missing', 'unknown', 'different'] as const) found[kind].push(...body.data[kind]);
    found.requests += 1;
    after = body.data.next_after;
  }
  return found;
}

const sha = (...fields: string[]) => hash('sha256', fields.join('\n'));
const push = async (directory: TestDirectory, path: string, body: object) => (await directory.scim('POST', path, body)).body.id as string;

async function insertUsers(directoryId: string, users: { id: string; publicId?: string }[]) {
  const at = new Date();
  await service.db.batchInsert(
    'users',
    users.map(({ id, publicId }) => ({
      directory_id: directoryId,
      id,
      public_id: publicId ?? null,
      user_name: id,
      user_name_key: id,
      first_name: '',
      last_name: '',
      email: id,
      active: true,
      resource: { userName: id },
      created_at: at,
      updated_at: at,
    })),
  );
}

it('finds what is missing, unknown and different', async () => {
  const directory = await service.createDirectory();
  const ada = await push(directory, '/Users', { userName: 'ada@acme.example', name: { givenName: 'Adä', familyName: 'L' } });
  const ben = await push(directory, '/Users', { userName: 'ben@acme.example', active: false });
  const cy = await push(directory, '/Users', { userName: 'cy@acme.example' });
  const other = newId();
  const items = [
    { id: ada, hash: sha(ada, 'ada@acme.example', 'Adä', 'L', 'true') },
    { id: ben, hash: sha(ben, 'ben@acme.example', '', '', 'true') },
    { id: other },
  ];
  expect(await reconcile(directory, items)).toEqual({ missing: [cy], unknown: [other], different: [ben], requests: 1 });
  const team = await push(directory, '/Groups', { displayName: 'Team', members: [{ value: ada }, { value: ben }] });
  const groups = { type: 'groups' };
  expect(await reconcile(directory, [{ id: team, hash: sha(team, 'Team') }], groups)).toMatchObject({ missing: [], different: [] });
  expect(await reconcile(directory, [{ id: team, hash: sha(team, 'Old') }], groups)).toMatchObject({ missing: [], different: [team] });
  const members = { type: 'members', group_id: team };
  expect(await reconcile(directory, [{ id: ada }, { id: cy }], members)).toMatchObject({ missing: [ben], unknown: [cy] });
});

it('compares any two sets of IDs, in pages of any size', async () => {
  const random = createSeededRandom();
  const directory = await service.createDirectory();
  const letters = ['a', 'f', '0', 'Z', 'é', '\u{ffee}', '\u{1f600}', '-', '9'];
  const imported = [
    ...new Set(Array.from({ length: 300 }, () => Array.from({ length: 1 + random.below(5) }, () => letters[random.below(9)]).join(''))),
  ];
  const users: { id: string; publicId?: string }[] = [
    ...Array.from({ length: 2_000 }, () => ({ id: newId() })),
    ...imported.map((publicId) => ({ id: toResourceKey(publicId), publicId })),
  ];
  await insertUsers(directory.id, users);
  const all = users.map(({ id, publicId = id }) => ({ id: publicId }));
  const missingIds = new Set(all.filter(() => random.below(2) === 0).map(({ id }) => id));
  const unknownIds = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? newId() : `~${letters[random.below(9)]}${index}`));
  const items = [...all.filter(({ id }) => !missingIds.has(id)), ...unknownIds.map((id) => ({ id }))];
  for (const pageSize of [1 + random.below(40), 500]) {
    const found = await reconcile(directory, items, { type: 'users' }, pageSize);
    expect(found.missing).toEqual(inOrder([...missingIds].map((id) => ({ id }))).map(({ id }) => id));
    expect(found.unknown).toEqual(inOrder(unknownIds.map((id) => ({ id }))).map(({ id }) => id));
    expect(found.different).toEqual([]);
  }
  expect((await reconcile(directory, [])).missing).toHaveLength(all.length);
});

it('rejects invalid requests', async () => {
  const directory = await service.createDirectory();
  const expectRejected = async (body: object, field: string) =>
    expect(await post(directory, body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', field } } });
  await expectRejected({ type: 'users', items: [{ id: 'b' }, { id: 'a' }] }, 'items');
  await expectRejected({ type: 'users', items: [{ id: 'a' }, { id: 'a' }] }, 'items');
  await expectRejected({ type: 'users', after: 'b', items: [{ id: 'a' }] }, 'items');
  await expectRejected({ type: 'users', items: [] }, 'items');
  await expectRejected({ type: 'members', items: [], last: true }, 'group_id');
  await expectRejected({ type: 'users', group_id: 'a', items: [], last: true }, 'group_id');
  await expectRejected({ type: 'users', items: Array.from({ length: 501 }, (_, index) => ({ id: String(1_000 + index) })) }, 'items');
  await expectRejected({ type: 'users', items: [{ id: 'a', hash: 'b' }] }, 'items.0.hash');
  const nothing = { type: 'users', items: [], last: true };
  expect((await post({ id: newId() }, nothing)).status).toBe(404);
  expect((await post(directory, { ...nothing, type: 'members', group_id: newId() })).status).toBe(404);
  const another = await service.createDirectory();
  const team = await push(another, '/Groups', { displayName: 'Team' });
  expect((await post(directory, { ...nothing, type: 'members', group_id: team })).status).toBe(404);
  expect((await service.api('POST', pathOf(directory.id), nothing, { authorization: '' })).status).toBe(401);
});
