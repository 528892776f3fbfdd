import type { Journal } from './journal.ts';
import type { RowWrites } from './snapshot.ts';

export interface Rows<Row> {
  get(id: string): Row | undefined;
  /** Whether the row is as it was read. */
  isUnchanged(id: string): boolean;
  set(row: Row): void;
  remove(id: string): void;
  writes(): RowWrites<Row>;
}

/** A working copy of rows that knows which were inserted, updated and deleted. */
export function createRows<Row extends { id: string }>(stored: Row[], journal: Journal): Rows<Row> {
  const before = new Map(stored.map((row) => [row.id, row]));
  const after = new Map(before);
  return {
    get: (id) => after.get(id),
    isUnchanged: (id) => after.get(id) === before.get(id),
    set: (row) => journal.set(after, row.id, row),
    remove: (id) => journal.delete(after, id),
    writes: () => ({
      inserted: [...after.values()].filter(({ id }) => !before.has(id)),
      updated: [...after.values()].flatMap((row) => {
        const former = before.get(row.id);
        return former && former !== row ? [{ former, row }] : [];
      }),
      deleted: [...before.keys()].filter((id) => !after.has(id)),
    }),
  };
}
