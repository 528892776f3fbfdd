import type { Pause } from '../../shared/pause.ts';

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

export function createJournal(pause: Pause): Journal {
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
