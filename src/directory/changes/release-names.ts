import { foldCase } from '../../scim/text.ts';
import type { BulkOperation } from '../mutation.ts';
import type { Workspace } from './workspace.ts';

/**
 * Lets go of the user names of all who are to have another one and will surely get it: because nobody has that one, or only somebody who
 * lets go of it too. Postgres looks at names when the statement ends.
 */
export function releaseNames(space: Workspace, operations: BulkOperation[]): void {
  const wanted = new Map(operations.flatMap((operation) => newNameOf(space, operation)));
  const claims = new Map<string, number>();
  for (const name of wanted.values()) claims.set(name, (claims.get(name) ?? 0) + 1);
  for (let before = -1; before !== wanted.size;) {
    before = wanted.size;
    for (const [id, name] of wanted) {
      const owner = space.ownerOfUserName(name);
      if (claims.get(name)! > 1 || (owner !== undefined && !wanted.has(owner))) wanted.delete(id);
    }
  }
  for (const id of wanted.keys()) space.releaseUserName(id);
}

function newNameOf(space: Workspace, operation: BulkOperation): [id: string, name: string][] {
  if (!('change' in operation) || operation.change.kind !== 'replaceUser') return [];
  const { resourceId, resource } = operation.change;
  const user = space.getUser(resourceId);
  const name = foldCase(String(resource['userName']));
  return user && foldCase(user.userName) !== name ? [[resourceId, name]] : [];
}
