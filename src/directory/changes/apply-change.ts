import { ScimError } from '../../scim/errors.ts';
import type { Bulk, BulkOperation, Change, Outcome, Result } from '../mutation.ts';
import { changeGroup } from './change-group.ts';
import { changeUser } from './change-user.ts';
import { dependencyRefused } from './refusals.ts';
import type { Workspace } from './workspace.ts';

/** A refused change leaves the workspace as it was. */
export function applyChange(space: Workspace, change: Change): Result {
  try {
    switch (change.kind) {
      case 'createUser':
      case 'replaceUser':
      case 'patchUser':
      case 'deleteUser':
        return changeUser(space, change);
      case 'createGroup':
      case 'replaceGroup':
      case 'patchGroup':
      case 'deleteGroup':
        return changeGroup(space, change);
    }
  } catch (error) {
    if (error instanceof ScimError) return { resourceId: change.resourceId, refusal: error.refusal };
    throw error;
  }
}

export function applyBulk(space: Workspace, { operations, failOnErrors = Infinity }: Bulk): Required<Pick<Outcome, 'results'>> {
  const results: (Result & { index: number })[] = [];
  const refused = new Set<number>();
  for (const operation of operations) {
    if (refused.size >= failOnErrors) break;
    const result = applyOperation(space, operation, refused);
    if (result.refusal) refused.add(operation.index);
    results.push({ index: operation.index, ...result });
  }
  return { results };
}

function applyOperation(space: Workspace, operation: BulkOperation, refused: Set<number>): Result {
  if ('refusal' in operation) return { resourceId: '', refusal: operation.refusal };
  const { change, dependsOn } = operation;
  if (dependsOn.some((other) => refused.has(other))) return { resourceId: change.resourceId, refusal: dependencyRefused };
  return applyChange(space, change);
}
