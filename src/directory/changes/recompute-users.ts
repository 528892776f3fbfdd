import { isSameAttributes } from '../attributes/compute-attributes.ts';
import { isSameJson } from '../../scim/json.ts';
import { isSameRoles } from '../roles/compute-roles.ts';
import type { Recompute } from './mutation.ts';
import type { User } from '../resources/user.ts';
import type { Workspace } from './workspace.ts';

/**
 * Emits an update of each user whose attributes or roles change. The resource stays the same, and so do the version, the ETag and the time
 * of the last modification, which identity providers compare.
 */
export async function recomputeUsers(space: Workspace, { userIds, isNoted = false }: Recompute): Promise<void> {
  if (isNoted) space.noteRecomputed(userIds);
  for (const id of userIds) {
    const user = space.getUser(id);
    // It was deleted since the batch was selected.
    if (!user) continue;
    const derived = space.derive(space.withGroupRoles(user), { hasGroupRoles: true });
    if (!looksSame(user, derived)) {
      space.setUser(derived);
      if (!space.isHidden(user)) space.emitUserUpdate('user.updated', user, derived);
    } else if (!isStoredAlike(user, derived)) space.setUser(derived);
    await space.pause();
  }
}

/** Whether an application would see no difference in what follows from a user. */
export const looksSame = (one: User, other: User): boolean =>
  isSameAttributes(one.customAttributes, other.customAttributes) && isSameRoles(one, other);

/** Of users that look the same. */
const isStoredAlike = (one: User, other: User): boolean =>
  !one.customAttributes === !other.customAttributes &&
  (one.lacksRequired ?? false) === (other.lacksRequired ?? false) &&
  isSameJson(one.groupRoles ?? null, other.groupRoles ?? null) &&
  isSameJson(one.roles ?? null, other.roles ?? null);
