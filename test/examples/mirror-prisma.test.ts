import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createClient, type MirrorStore } from '../../src/client/index.ts';
import { packageRoot } from '../../src/paths.ts';
import { createFakePrisma } from '../support/fake-prisma.ts';
import { apiKey, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';

const { openPrismaStore } = (await import(pathToFileURL(join(packageRoot, 'examples/mirror/prisma-store.mjs')).href)) as {
  openPrismaStore(prisma: object, directoryId: string): Promise<MirrorStore>;
};

let service: TestService;
let directory: TestDirectory;
beforeAll(async () => {
  service = await shareTestService();
});
beforeEach(async () => {
  directory = await service.createDirectory();
});
afterAll(() => service.stop());

const runOnce = (store: MirrorStore) =>
  createClient({ baseUrl: service.baseUrl, apiKey }).mirror(store, { directoryId: directory.id, follow: false });
const withoutMark = (rows: object[]) => rows.map((row) => ({ ...row, snapshotId: undefined }));
const push = async (path: string, body: object) => (await directory.scim('POST', path, body)).body.id as string;
const patch = (path: string, ...operations: object[]) => directory.scim('PATCH', path, { Operations: operations });

it('keeps the same as the service', async () => {
  const ada = await push('/Users', { userName: 'ada@acme.example' });
  const group = await push('/Groups', { displayName: 'All', members: [{ value: ada }] });
  const prisma = createFakePrisma();
  const prismaStore = await openPrismaStore(prisma.client, directory.id);
  expect((await runOnce(prismaStore)).data).toEqual({ snapshots: 1, events: 0 });
  const ben = await push('/Users', { userName: 'ben@acme.example', active: false });
  await patch(`/Groups/${group}`, { op: 'add', path: 'members', value: [{ value: ben }] });
  await directory.scim('DELETE', `/Users/${ada}`);
  expect((await runOnce(prismaStore)).data).toEqual({ snapshots: 0, events: 4 });
  const expected = {
    rollcallUser: [expect.objectContaining({ id: ben, email: 'ben@acme.example', active: false })],
    rollcallGroup: [expect.objectContaining({ id: group, name: 'All' })],
    rollcallMembership: [expect.objectContaining({ groupId: group, userId: ben })],
  };
  expect(prisma.rows()).toMatchObject(expected);
  prisma.tables.rollcallMirror![0]!['cursor'] = null;
  prisma.tables.rollcallUser!.push({ directoryId: directory.id, id: 'gone', snapshotId: null });
  expect((await runOnce(prismaStore)).data?.snapshots).toBe(1);
  expect(prisma.rows()).toMatchObject(expected);
  expect(await prismaStore.applyEvents([], { from: 'another', to: 'x' })).toBe(false);
});

it('writes a page of a snapshot in a few statements', async () => {
  await Promise.all(Array.from({ length: 30 }, (_, index) => push('/Users', { userName: `u${index}@acme.example` })));
  const prisma = createFakePrisma();
  const prismaStore = await openPrismaStore(prisma.client, directory.id);
  const countStatements = async () => {
    const before = prisma.statements();
    expect((await runOnce(prismaStore)).data?.snapshots).toBe(1);
    return prisma.statements() - before;
  };
  expect(await countStatements()).toBeLessThan(20);
  const users = prisma.tables.rollcallUser!;
  const first = structuredClone(users);
  prisma.tables.rollcallMirror![0]!['cursor'] = null;
  users[7]!['email'] = 'former@acme.example';
  expect(await countStatements()).toBeLessThan(20);
  expect(withoutMark(users)).toEqual(withoutMark(first));
  expect(users).toHaveLength(30);
});
