import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startTestLibrary, type TestLibrary } from '../support/library.ts';
import { until } from '../support/until.ts';

let library: TestLibrary;
beforeAll(async () => {
  library = await startTestLibrary();
});
afterAll(() => library.stop());

const header = 'idp_id,email\n';

async function createDirectory(): Promise<string> {
  const { data } = await library.sync.directories.create({ tenant: 'acme', product: 'app', type: 'csv' });
  return data!.id;
}

it('takes files as text, bytes or Blobs, and syncs the directory with them', async () => {
  const id = await createDirectory();
  const users = `${header}${Array.from({ length: 3_000 }, (_, index) => `u${index},u${index}@acme.example\n`).join('')}`;
  const [groups, memberships] = ['idp_id,name\ng1,Team\n', 'user_id,group_id\nu7,g1\n'];
  const progress: [sent: number, total: number][] = [];
  const { data, error } = await library.sync.uploadFiles(
    id,
    { users: new Blob([users]), groups, memberships: new TextEncoder().encode(memberships) },
    { onProgress: (...step) => void progress.push(step) },
  );
  expect([error, data]).toEqual([null, expect.objectContaining({ users: 3_000, groups: 1, memberships: 1, complete: true })]);
  const total = users.length + groups.length + memberships.length;
  expect(progress.at(-1)).toEqual([total, total]);
  expect(progress.map(([sent]) => sent)).toEqual(progress.map(([sent]) => sent).toSorted((one, other) => one - other));
  const run = await until(
    async () => {
      const { data: found } = await library.sync.syncs.get(id, data!.run_id!);
      return found!.finished_at !== null && found!;
    },
    { timeoutMs: 60_000 },
  );
  expect([run.state, run.changed.users.created]).toEqual(['succeeded', 3_000]);
});

it('says where a file is wrong', async () => {
  const { error, status } = await library.sync.uploadFiles(await createDirectory(), { users: `${header}1,nobody\n` });
  expect([status, error!.problems, error!.more_problems]).toEqual([
    422,
    [{ file: 'users.csv', line: 2, column: 2, message: expect.any(String) }],
    0,
  ]);
});

it('returns what is wrong with the arguments', async () => {
  const { error } = await library.sync.uploadFiles('../x', { users: header });
  expect([error!.code, error!.field]).toEqual(['invalid_request', 'directoryId']);
});
