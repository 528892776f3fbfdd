import { describe, expect, it } from '@jest/globals';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { bulkOf, mib, setTitle, setUpLargeChanges, times } from '../../support/large-changes.ts';
import { until } from '../../support/until.ts';

const { directory, storeUsers, addDirectory, readTitled } = setUpLargeChanges();

describe('a large change', () => {
  it('waits for memory while other changes use it, and one directory gets half of it', async () => {
    const other = await addDirectory();
    const [own, others] = [await storeUsers(40, 100_000), await storeUsers(40, 100_000, other)];
    let running = 0;
    let most = 0;
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    const watching: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change({ ...request, maxBytes: 5 * mib }, async (snapshot) => {
          most = Math.max(most, (running += 1));
          await opened;
          running -= 1;
          return decide(snapshot);
        }),
    };
    const changes = [
      ...times(4, (index) =>
        applyInTransaction(watching, directory.id, [bulkOf(directory.id, own.slice(index * 10, index * 10 + 10).map(setTitle))]),
      ),
      ...times(2, (index) => applyInTransaction(watching, other, [bulkOf(other, others.slice(index * 20, index * 20 + 20).map(setTitle))])),
    ];
    await until(() => running >= 2);
    open();
    const applied = await Promise.all(changes);
    expect(applied.map(({ outcomes }) => outcomes[0]!.results?.every(({ version }) => version === 2))).toEqual(times(6, () => true));
    expect(most).toBe(2);
    expect(await readTitled()).toHaveLength(40);
  }, 180_000);

  it('is retried if it has become large since the first attempt and others hold the memory', async () => {
    const other = await addDirectory();
    const [[own], others] = [await storeUsers(1, 1_000), await storeUsers(9, 900_000, other)];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    let open!: () => void;
    const opened = new Promise<void>((resolve) => (open = resolve));
    let isHeld = false;
    const holding: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change(request, async (snapshot) => {
          isHeld = true;
          await opened;
          return decide(snapshot);
        }),
    };
    const held = applyInTransaction(holding, other, [bulkOf(other, others.map(setTitle))]);
    await until(() => isHeld);
    const growing: typeof store = {
      ...store,
      change: (request, decide) =>
        store.change(request, async (snapshot) => {
          await directory
            .db('users')
            .where({ id: own })
            .update({ resource: JSON.stringify({ userName: own, note: 'x'.repeat(900_000) }) });
          await directory.db('directories').where({ id: directory.id }).increment('revision', 1);
          return decide(snapshot);
        }),
    };
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('MAX_MUTATION_BYTES'),
    });
    expect(await readTitled()).toEqual([]);
    open();
    await held;
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await readTitled()).toEqual([own]);
  }, 180_000);
});

const makeLarger = async (id: string, bytes: number) => {
  await directory
    .db('users')
    .where({ id })
    .update({ resource: JSON.stringify({ userName: id, note: 'x'.repeat(bytes) }) });
  await directory.db('directories').where({ id: directory.id }).increment('revision', 1);
};
const addFullDirectory = async () => {
  const id = await addDirectory();
  return { id, users: await storeUsers(9, 500_000, id) };
};

/** Runs `onDecide` when the change has read what it needs. */
const watch = (store: ReturnType<typeof createChangeStore>, onDecide: (attempt: number) => Promise<unknown>): typeof store => {
  let attempts = 0;
  return {
    ...store,
    change: (request, decide) => store.change(request, async (snapshot) => (await onDecide((attempts += 1)), decide(snapshot))),
  };
};

async function waitingForLocks(): Promise<number> {
  const { rows } = await directory.db.raw<{ rows: [{ count: number }] }>(
    `select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0].count;
}

describe('a large change that another process made larger during its first attempt', () => {
  it('waits again for the memory that its read may take', async () => {
    const [[own], ...others] = [await storeUsers(1, 300_000), await addFullDirectory(), await addFullDirectory()];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib, timeoutMs: 500 });
    const open: (() => void)[] = [];
    const holding: Promise<unknown>[] = [];
    let attempts = 0;
    const growing = watch(store, async (attempt) => {
      attempts = attempt;
      if (attempt > 1) return;
      // It holds 300 KB of its half by now, so others get the rest.
      for (const { id, users } of others) {
        const held = watch(store, () => new Promise<void>((resolve) => open.push(resolve)));
        holding.push(applyInTransaction(held, id, [bulkOf(id, users.map(setTitle))]));
        await until(() => open.length === holding.length);
      }
      await makeLarger(own!, 900_000);
    });
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('MAX_MUTATION_BYTES'),
    });
    expect(attempts).toBe(1);
    // One after the other, because the memory for writes is enough for one of them.
    for (const [index, held] of holding.entries()) {
      open[index]!();
      await held;
    }
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await readTitled()).toEqual([own]);
  }, 180_000);

  it('does not write more than it has memory for', async () => {
    const [[own], other] = [await storeUsers(1, 300_000), await addFullDirectory()];
    const store = createChangeStore(directory.db, { maxBytes: 10 * mib });
    let held: Promise<unknown> | undefined;
    // While this row is locked, the other change holds 9 MB for its writes: each user and its event.
    const lock = await directory.db.transaction();
    const growing = watch(store, async (attempt) => {
      if (attempt === 1) return makeLarger(own!, 900_000);
      await lock('directories').where({ id: other.id }).forUpdate().select('id');
      held = applyInTransaction(store, other.id, [bulkOf(other.id, other.users.map(setTitle))]);
      await until(async () => (await waitingForLocks()) === 1);
    });
    const bulk = bulkOf(directory.id, [setTitle(own!)]);
    await expect(applyInTransaction(growing, directory.id, [bulk])).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('MAX_MUTATION_BYTES'),
    });
    await lock.rollback();
    await held;
    await applyInTransaction(store, directory.id, [bulk]);
    expect(await readTitled()).toEqual([own]);
  }, 180_000);
});
