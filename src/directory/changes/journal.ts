import type { Pause } from '../../shared/pause.ts';

/** Changes maps, which hold no undefined, so that what was changed since the last `begin` can be taken back. */
export interface Journal {
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void;
  delete<Key>(map: Map<Key, unknown>, key: Key): void;
  begin(): void;
  rollBack(): Promise<void>;
  /** For what is derived from the maps. */
  onRollBack(forget: () => void): void;
}

const absent = Symbol('absent');

export function createJournal(pause: Pause): Journal {
  /** Map, key and former value, one after the other: there may be a million. */
  let entries: unknown[] = [];
  const forgets: (() => void)[] = [];
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
      for (const forget of forgets) forget();
    },
    onRollBack(forget) {
      forgets.push(forget);
    },
  };
}
