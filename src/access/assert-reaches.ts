import { directoryNotFound } from '../directory/errors.ts';
import type { DirectoryStore } from '../directory/ports.ts';
import { isId } from '../ids.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import type { Caller } from './caller.ts';
import { intersect } from './narrowing.ts';

const maxKept = 50_000;

/** Fails for a directory outside of the caller's narrowing exactly as if it did not exist, and takes as long. */
export function createAssertReaches(directories: Pick<DirectoryStore, 'findIds'>) {
  /**
   * Entries stay valid: a directory keeps its tenant and product, and a key its narrowing. Rejections are not
   * cached, because a faster one would disclose something.
   */
  const knownPairs = createRecentMap<true>(maxKept);
  return async function assertReaches({ id, narrowed }: Caller, directoryId: string): Promise<void> {
    const pair = `${id} ${directoryId}`;
    if (knownPairs.get(pair)) return;
    const within = intersect(narrowed, { directoryId });
    const found = within && isId(directoryId) ? await directories.findIds({ ...within, directoryId }) : [];
    if (found.length === 0) throw directoryNotFound();
    knownPairs.set(pair, true);
  };
}
