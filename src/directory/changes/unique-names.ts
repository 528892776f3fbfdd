import type { Journal } from './journal.ts';

/** Which resource has which unique name. */
interface UniqueNames {
  /** Loads a stored name. */
  load(id: string, name: string | null): void;
  ownerOf(name: string | null | undefined): string | undefined;
  isFree(name: string | null | undefined, forId: string): boolean;
  /** Replaces the resource's former name. */
  assign(id: string, name: string | null | undefined): void;
}

export function createUniqueNames(journal: Journal): UniqueNames {
  const owners = new Map<string, string>();
  const nameOf = new Map<string, string>();
  return {
    load(id, name) {
      if (!isName(name)) return;
      owners.set(name, id);
      nameOf.set(id, name);
    },
    ownerOf: (name) => (isName(name) ? owners.get(name) : undefined),
    isFree: (name, forId) => !isName(name) || (owners.get(name) ?? forId) === forId,
    assign(id, name) {
      const former = nameOf.get(id);
      if (isName(name) && former === name && owners.get(name) === id) return;
      if (former !== undefined && owners.get(former) === id) journal.delete(owners, former);
      journal.delete(nameOf, id);
      if (!isName(name)) return;
      journal.set(owners, name, id);
      journal.set(nameOf, id, name);
    },
  };
}

const isName = (name: string | null | undefined): name is string => name !== null && name !== undefined;
