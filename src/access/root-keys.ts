import { hash, timingSafeEqual } from 'node:crypto';
import { type Caller, createRootCaller } from './caller.ts';

export type RootKeys = ReturnType<typeof createRootKeys>;

/** The keys of API_KEYS. */
export function createRootKeys(keys: readonly string[]) {
  const known = keys.map((key, index) => ({ digest: digestOf(key), caller: createRootCaller(key, index + 1) }));
  return {
    find: (given: string): Caller | undefined => findByHash(digestOf(given)),
    findByHash,
  };

  /** Compares all keys, so that the time does not disclose which one matched. */
  function findByHash(given: Buffer): Caller | undefined {
    let caller: Caller | undefined;
    for (const root of known) if (timingSafeEqual(given, root.digest)) caller = root.caller;
    return caller;
  }
}

/** The SHA-256, by which a session refers to the key. */
export const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer');
