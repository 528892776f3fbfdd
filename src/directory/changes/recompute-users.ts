import { isSameAttributes } from '../attributes/compute-attributes.ts';
import type { Recompute } from './mutation.ts';
import type { Workspace } from './workspace.ts';

/**
 * Emits an update of each user whose attributes change. The resource stays the same, and so do the version, the ETag and the time of the last
 * modification, which identity providers compare.
 */
export async function recomputeUsers(space: Workspace, { userIds }: Recompute): Promise<void> {
  for (const id of userIds) {
    const user = space.getUser(id);
    // It was deleted since the batch was selected.
    if (!user) continue;
    const derived = space.derive(user);
    if (!isSameAttributes(user.customAttributes, derived.customAttributes)) {
      space.setUser(derived);
      if (!space.isHidden(user)) space.emitUserUpdate('user.updated', user, derived);
    } else if (!user.customAttributes !== !derived.customAttributes || (user.lacksRequired ?? false) !== derived.lacksRequired)
      space.setUser(derived);
    await space.pause();
  }
}
