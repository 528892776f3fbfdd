import { directoryNotFound } from '../directory/errors.ts';
import type { DirectoryStore } from '../directory/ports.ts';
import { isId } from '../ids.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import type { Caller } from './caller.ts';
import { intersect } from './narrowing.ts';

const keptAtMost = 50_000;

/** Fails unless the directory is one that the caller may know of: as if it did not exist, and in the same time. */
export function createAssertReaches(directories: Pick<DirectoryStore, 'findIds'>) {
  /** A directory never changes its tenant or product, nor a key its narrowing. That one is not reached is not kept, because it would show. */
  const reached = createRecentMap<true>(keptAtMost);
  return async function assertReaches({ id, narrowed }: Caller, directoryId: string): Promise<void> {
    const pair = `${id} ${directoryId}`;
    if (reached.get(pair)) return;
    const within = intersect(narrowed, { directoryId });
    const found = within && isId(directoryId) ? await directories.findIds({ ...within, directoryId }) : [];
    if (found.length === 0) throw directoryNotFound();
    reached.set(pair, true);
  };
}
