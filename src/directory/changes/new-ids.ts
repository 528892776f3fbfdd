import { toIdentified, type Identified } from '../resources/resource-ids.ts';
import { ChangeRejectedError, idTaken } from './change-errors.ts';
import type { Workspace } from './workspace.ts';

/** The IDs of a new resource. An ID is unique among the users and groups of a directory, because a member is a user or a group. */
export function toNewIds(space: Workspace, change: { resourceId: string; givenId?: string }): Identified {
  const { resourceId, givenId } = change;
  if (givenId !== undefined && (space.getUser(resourceId) ?? space.getGroup(resourceId))) throw new ChangeRejectedError(idTaken);
  return toIdentified(change);
}
