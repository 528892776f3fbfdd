import { randomUUID } from 'node:crypto';
import type { Leases } from './ports.ts';

export function createMemoryLeases({ now = Date.now }: { now?: () => number } = {}): Leases {
  const byKey = new Map<string, { id: string; endsAtMs: number }>();
  const keys = new Map<string, string>();

  return {
    async take(key, forMs) {
      dropEnded();
      const held = byKey.get(key);
      if (held && held.endsAtMs > now()) return undefined;
      if (held) drop(key, held.id);
      const id = randomUUID();
      byKey.set(key, { id, endsAtMs: now() + forMs });
      keys.set(id, key);
      return id;
    },
    async release(id) {
      const key = keys.get(id);
      if (key === undefined) return false;
      const isHeld = byKey.get(key)!.endsAtMs > now();
      drop(key, id);
      return isHeld;
    },
  };

  /** Entries are ordered by age. */
  function dropEnded() {
    for (const [key, { id, endsAtMs }] of byKey) {
      if (endsAtMs > now()) return;
      drop(key, id);
    }
  }

  function drop(key: string, id: string) {
    byKey.delete(key);
    keys.delete(id);
  }
}
