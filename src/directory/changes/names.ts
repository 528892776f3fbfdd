import { forEachPausing, type Pause } from '../../pause.ts';
import type { Journal } from './journal.ts';

/** Who goes by a name that only one may have. */
export interface Names {
  ownerOf(name: string | null | undefined): string | undefined;
  isFree(name: string | null | undefined, forId: string): boolean;
  /** Takes the name, and lets go of the one it had. */
  give(id: string, name: string | null | undefined): void;
}

export async function createNames<Stored extends { id: string }>(
  stored: Stored[],
  readName: (stored: Stored) => string | null,
  { journal, pause }: { journal: Journal; pause: Pause },
): Promise<Names> {
  const owners = new Map<string, string>();
  const nameOf = new Map<string, string>();
  await forEachPausing(stored, pause, (one) => {
    const name = readName(one);
    if (!isName(name)) return;
    owners.set(name, one.id);
    nameOf.set(one.id, name);
  });
  const names: Names = {
    ownerOf: (name) => (isName(name) ? owners.get(name) : undefined),
    isFree: (name, forId) => !isName(name) || (owners.get(name) ?? forId) === forId,
    give(id, name) {
      const former = nameOf.get(id);
      if (former !== undefined && owners.get(former) === id) journal.delete(owners, former);
      journal.delete(nameOf, id);
      if (!isName(name)) return;
      journal.set(owners, name, id);
      journal.set(nameOf, id, name);
    },
  };
  return names;
}

const isName = (name: string | null | undefined): name is string => name !== null && name !== undefined;
