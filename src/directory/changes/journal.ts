import type { YieldToEventLoop } from '../../shared/yield-to-event-loop.ts';
import type { RowWrites } from './snapshot.ts';

/** Changes maps so that the changes since the last `begin` can be rolled back. The maps must not contain `undefined`. */
export interface Journal {
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void;
  delete<Key>(map: Map<Key, unknown>, key: Key): void;
  begin(): void;
  rollBack(): Promise<void>;
  /** Calls back after a rollback, to reset what is derived from the maps. */
  onRollBack(reset: () => void): void;
}

const absent = Symbol('absent');

export function createJournal(pause: YieldToEventLoop): Journal {
  /** Map, key and former value in turn. A flat array, because there may be a million. */
  let entries: unknown[] = [];
  const resets: (() => void)[] = [];
  return {
    set(map, key, value) {
      const before = map.get(key);
      entries.push(map, key, before === undefined ? absent : before);
      map.set(key, value);
    },
    delete(map, key) {
      const before = map.get(key);
      if (before === undefined) return;
      entries.push(map, key, before);
      map.delete(key);
    },
    begin() {
      entries = [];
    },
    async rollBack() {
      while (entries.length > 0) {
        if (entries.length % 64 === 0) await pause();
        const before = entries.pop();
        const key = entries.pop();
        const map = entries.pop() as Map<unknown, unknown>;
        if (before === absent) map.delete(key);
        else map.set(key, before);
      }
      for (const reset of resets) reset();
    },
    onRollBack(reset) {
      resets.push(reset);
    },
  };
}

interface Rows<Row> {
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
