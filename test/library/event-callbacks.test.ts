import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RollcallEvent } from '../../src/library/index.ts';
import { startTestLibrary, type EmbeddedDirectory, type TestLibrary } from '../support/library.ts';

let library: TestLibrary;
const unclaimed: RollcallEvent[] = [];
beforeAll(async () => {
  library = await startTestLibrary({ onEvent: (event) => void unclaimed.push(event) });
});
afterAll(() => library.stop());

const user = (name: string) => ({ schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: name });
const create = (directory: EmbeddedDirectory, name: string, callback?: (event: RollcallEvent) => unknown) =>
  directory.handle('POST', 'users', { body: user(name) }, callback);
const fail = () => {
  throw new Error('the application is unwell');
};
const rounds = Number(process.env['CONCURRENCY_ROUNDS'] ?? 3);

it('dispatches each event once, to its own callback and in the order of its directory, however many are concurrent', async () => {
  const directories = await Promise.all([library.createDirectory(), library.createDirectory()]);
  for (let round = 0; round < rounds; round += 1) {
    const dispatched: { directory: string; userName: string; event: RollcallEvent }[] = [];
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const [directory, name] = [directories[index % 2]!, `user-${round}-${index}`];
        return create(directory, name, async (event) => {
          // Some callbacks are slower than others.
          if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
          dispatched.push({ directory: directory.id, userName: name, event });
        });
      }),
    );
    expect(dispatched).toHaveLength(100);
    for (const { userName, event } of dispatched) expect(event.data).toMatchObject({ raw: { userName } });
    for (const { id } of directories) {
      const sequences = dispatched.filter(({ directory }) => directory === id).map(({ event }) => event.sequence);
      expect(sequences).toEqual(Array.from({ length: 50 }, (_, index) => round * 50 + index + 1));
    }
  }
});

it('dispatches a create only once if it is sent twice concurrently', async () => {
  const directory = await library.createDirectory();
  const dispatched: string[] = [];
  const responses = await Promise.all(
    [1, 2].map((copy) => create(directory, 'twice', ({ event }) => void dispatched.push(`${copy} ${event}`))),
  );
  expect([responses.map(({ status }) => status), dispatched]).toEqual([[201, 201], ['1 user.created']]);
});

it('responds as usual if a callback fails, logs the failure, and continues with the next event', async () => {
  const directory = await library.createDirectory();
  expect((await create(directory, 'first', fail)).status).toBe(201);
  const dispatched: string[] = [];
  expect((await create(directory, 'second', ({ event }) => void dispatched.push(event))).status).toBe(201);
  expect(dispatched).toEqual(['user.created']);
  expect(library.logs).toContainEqual(
    expect.objectContaining({
      msg: 'event callback failed; the event is in the event feed',
      directoryId: directory.id,
      sequence: 1,
    }),
  );
  const feed = await library.sync.events.list({ directoryId: directory.id });
  expect(feed.data).toHaveLength(2);
});

it('lets a callback change the same directory again', async () => {
  const directory = await library.createDirectory();
  const dispatched: string[] = [];
  await create(directory, 'outer', async (outer) => {
    dispatched.push(`outer ${outer.sequence}`);
    await create(directory, 'inner', (inner) => void dispatched.push(`inner ${inner.sequence}`));
  });
  const last = await create(directory, 'last', (event) => void dispatched.push(`last ${event.sequence}`));
  expect([last.status, dispatched]).toEqual([201, ['outer 1', 'inner 2', 'last 3']]);
});

it('dispatches nothing for rejected changes or changes without effect', async () => {
  const directory = await library.createDirectory();
  const dispatched: string[] = [];
  const callback = ({ event }: RollcallEvent) => void dispatched.push(event);
  const { data } = await create(directory, 'same', callback);
  const rejected = await create(directory, 'SAME', callback);
  const unchanged = await directory.handle('PUT', 'users', { id: data.id, body: user('same') }, callback);
  expect([rejected.status, unchanged.status, dispatched]).toEqual([409, 200, ['user.created']]);
});

it('dispatches changes without a callback to `onEvent`', async () => {
  const directory = await library.createDirectory();
  await create(directory, 'unclaimed');
  expect(unclaimed.filter((event) => event.directory_id === directory.id).map(({ event }) => event)).toEqual(['user.created']);
});
