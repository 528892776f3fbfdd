import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Directory } from '../../../src/directory/directories/directory.ts';
import { createFiles } from '../../../src/directory/files/files.ts';
import { parseFile } from '../../../src/providers/csv/parse-file.ts';
import { createFileStore } from '../../../src/store/files/file-store.ts';
import { openSyncStores } from '../../support/sync-stores.ts';

let stores: Awaited<ReturnType<typeof openSyncStores>>;
beforeAll(async () => {
  stores = await openSyncStores();
});
afterAll(() => stores.drop());

const options = { isPart: false, isWhole: true, isDryRun: false };
const createDirectory = () => stores.addDirectory({ type: 'csv', google_admin_email: null });

let full: string | undefined;
const openFiles = (tenantOf: (directoryId: string) => string = () => 't') =>
  createFiles({
    directories: { get: (id) => Promise.resolve({ id, tenant: tenantOf(id), type: 'csv', deactivated: false } as Directory) },
    store: createFileStore(stores.db),
    parse: parseFile,
    startSync: () => Promise.resolve(),
    diskError: () => full,
    onStartFailed: () => undefined,
  });

/** A file that ends when `ended` resolves, after it has called `begun`. */
async function* arrive(ended: Promise<unknown>, begun: () => void = () => undefined) {
  async function* bytes() {
    yield Buffer.from('idp_id,email\n1,a@b.example\n');
    begun();
    await ended;
  }
  yield await Promise.resolve({ kind: 'users' as const, charset: undefined, bytes: bytes() });
}

it('ends an upload when the disk becomes low while it arrives', async () => {
  const directoryId = await createDirectory();
  const uploading = openFiles().upload(
    directoryId,
    arrive(Promise.resolve(), () => (full = 'The disk is almost full.')),
    options,
  );
  await expect(uploading).rejects.toMatchObject({ code: 'unavailable' });
  full = undefined;
  expect(await stores.db('uploaded_files').where({ directory_id: directoryId })).toEqual([]);
});

it('leaves uploads to other tenants: one has at most half of them', async () => {
  const ids = await Promise.all(Array.from({ length: 4 }, createDirectory));
  const files = openFiles((id) => (id === ids[3] ? 'other' : 't'));
  let end: (() => void) | undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const begin = (id: string) => {
    let uploading: Promise<unknown> = Promise.resolve();
    const begun = new Promise<void>((resolve) => (uploading = files.upload(id, arrive(ended, resolve), options)));
    return { begun, uploading };
  };
  const first = ids.slice(0, 2).map(begin);
  await Promise.all(first.map(({ begun }) => begun));
  await expect(files.upload(ids[2]!, arrive(ended), options)).rejects.toMatchObject({ code: 'rate_limited' });
  const other = begin(ids[3]!);
  await other.begun;
  end!();
  await Promise.all([...first, other].map(({ uploading }) => uploading));
});

it('stores members in parts that are limited in length', async () => {
  const directoryId = await createDirectory();
  const store = createFileStore(stores.db);
  const sizes: number[] = [];
  const files = createFiles({
    directories: { get: (id) => Promise.resolve({ id, tenant: 't', type: 'csv', deactivated: false } as Directory) },
    store: {
      ...store,
      addMembers: (...args) => {
        sizes.push(args[2].length);
        return store.addMembers(...args);
      },
    },
    parse: parseFile,
    startSync: () => Promise.resolve(),
    diskError: () => undefined,
    onStartFailed: () => undefined,
  });
  const long = 'u'.repeat(200);
  async function* members() {
    yield await Promise.resolve(Buffer.from(`user_id,group_id\n${`${long},g\n`.repeat(6_000)}`));
  }
  async function* sent() {
    yield* arrive(Promise.resolve());
    yield await Promise.resolve({ kind: 'members' as const, charset: undefined, bytes: members() });
  }
  await expect(files.upload(directoryId, sent(), options)).rejects.toMatchObject({ field: 'groups.csv' });
  expect([sizes.length > 1, sizes.reduce((sum, one) => sum + one, 0)]).toEqual([true, 6_000]);
});
