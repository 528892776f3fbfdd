import { OverBudgetError, ScimError } from '../../scim/errors.ts';
import type { Bulk, BulkOperation, Change, Outcome, Result } from './mutation.ts';
import { changeGroup } from './change-group.ts';
import { discardPendingMembers } from './change-members.ts';
import { changeUser } from './change-user.ts';
import { dependencyFailed } from './change-errors.ts';
import type { Workspace } from './workspace.ts';
import { releaseNames } from './names.ts';

/** Changes one resource. A rejected change does not change the workspace. Throws if the mutation exceeds its budget. */
export async function changeResource(space: Workspace, change: Change): Promise<Result> {
  try {
    switch (change.kind) {
      case 'createUser':
      case 'replaceUser':
      case 'patchUser':
      case 'deleteUser':
        return await changeUser(space, change);
      case 'createGroup':
      case 'replaceGroup':
      case 'patchGroup':
      case 'deleteGroup':
        return await changeGroup(space, change);
    }
  } catch (error) {
    if (error instanceof ScimError && !(error instanceof OverBudgetError)) return { resourceId: change.resourceId, error: error.details };
    throw error;
  }
}

export async function changeInBulk(
  space: Workspace,
  { operations, failOnErrors = Infinity, deferUniqueness = false }: Bulk,
): Promise<Pick<Outcome, 'results' | 'attempted'>> {
  const results: (Result & { index: number })[] = [];
  const failed = new Set<number>();
  const invalid = new Set(operations.filter((operation) => !('change' in operation)).map(({ index }) => index));
  let attempted = 0;
  if (deferUniqueness) releaseNames(space, operations);
  const hasFailed = (index: number) => failed.has(index) || invalid.has(index);
  for (const operation of operations) {
    if (failed.size >= failOnErrors) break;
    attempted += 1;
    if (!('change' in operation)) {
      failed.add(operation.index);
      continue;
    }
    const result = await applyOperation(space, operation, hasFailed);
    if (result.error) failed.add(operation.index);
    results.push({ index: operation.index, ...result });
    await space.pause();
  }
  // In a cycle, a group may have a pending member for a resource whose creation failed or was skipped.
  const applied = new Set(results.filter(({ error }) => !error).map(({ index }) => index));
  discardPendingMembers(space, operations.filter(({ index }) => !applied.has(index)).flatMap(createdId));
  return { results, ...(attempted < operations.length && { attempted }) };
}

const createdId = (operation: BulkOperation): string[] =>
  'change' in operation && (operation.change.kind === 'createUser' || operation.change.kind === 'createGroup')
    ? [operation.change.resourceId]
    : [];

async function applyOperation(
  space: Workspace,
  { change, dependsOn }: Extract<BulkOperation, { change: Change }>,
  hasFailed: (index: number) => boolean,
): Promise<Result> {
  if (dependsOn.some(hasFailed)) return { resourceId: change.resourceId, error: dependencyFailed };
  return changeResource(space, change);
}
