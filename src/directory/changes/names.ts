import type { Journal } from './journal.ts';
import { foldCase } from '../../scim/text.ts';
import type { BulkOperation } from './mutation.ts';
import type { Workspace } from './workspace.ts';

/** Which resource has which unique name. */
interface Names {
  /** Loads a stored name. */
  load(id: string, name: string | null): void;
  ownerOf(name: string | null | undefined): string | undefined;
  isFree(name: string | null | undefined, forId: string): boolean;
  /** Replaces the resource's former name. */
  assign(id: string, name: string | null | undefined): void;
}

export function createNames(journal: Journal): Names {
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

/**
 * Allows users to swap user names in one mutation: releases the names of all users whose new name is free, or is released by another of
 * them. Postgres checks uniqueness at the end of the statement.
 */
export function releaseNames(space: Workspace, operations: BulkOperation[]): void {
  const newNames = new Map(operations.flatMap((operation) => newNameOf(space, operation)));
  const claims = new Map<string, number>();
  for (const name of newNames.values()) claims.set(name, (claims.get(name) ?? 0) + 1);
  for (let before = -1; before !== newNames.size;) {
    before = newNames.size;
    for (const [id, name] of newNames) {
      const owner = space.ownerOfUserName(name);
      if (claims.get(name)! > 1 || (owner !== undefined && !newNames.has(owner))) newNames.delete(id);
    }
  }
  for (const id of newNames.keys()) space.releaseUserName(id);
}

function newNameOf(space: Workspace, operation: BulkOperation): [id: string, name: string][] {
  if (!('change' in operation) || operation.change.kind !== 'replaceUser') return [];
  const { resourceId, resource } = operation.change;
  const user = space.getUser(resourceId);
  const name = foldCase(String(resource['userName']));
  return user && foldCase(user.userName) !== name ? [[resourceId, name]] : [];
}
