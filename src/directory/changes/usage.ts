import { ScimError } from '../../scim/errors.ts';
import type { JsonObject } from '../../scim/json.ts';
import { sizeOf } from '../../scim/resource/limits.ts';
import { limitOf, quotaReached, type DirectoryQuotas, type Holdings, type Quota } from '../quotas.ts';
import type { Journal } from './journal.ts';

/** Memberships are counted where they are changed. */
type Counted = Exclude<keyof Holdings, 'memberships'>;

/** What the directory holds while changes are applied, held against its quotas. */
export function createUsage({ holds, quotas }: { holds: Holdings; quotas: DirectoryQuotas }, journal: Journal) {
  const now = new Map<Counted, number>();
  const current = (quota: Counted) => now.get(quota) ?? holds[quota];

  const usage = {
    bytesOf: (resource: JsonObject | undefined) => (resource === undefined ? 0 : sizeOf(resource).bytes),
    add(quota: Counted, more: number): void {
      if (more !== 0) journal.set(now, quota, current(quota) + more);
    },
    /** Throws if this much more would be too much. What does not grow is always allowed, also above a quota that was lowered. */
    assertRoom(quota: Quota, more: number, before: number): void {
      if (more > 0 && before + more > limitOf(quotas, quota)) throw new ScimError(quotaReached(quotas, quota));
    },
    assertRoomFor(growth: Partial<Record<Counted, number>>): void {
      for (const [quota, more] of Object.entries(growth) as [Counted, number][]) usage.assertRoom(quota, more, current(quota));
    },
    /** Nobody is in more groups than there are: as a rule nothing has to be counted. */
    isNearGroupsPerMember: () => current('groups') >= limitOf(quotas, 'groupsPerMember'),
    resourceBytesMore: () => current('resourceBytes') - holds.resourceBytes,
  };
  return usage;
}
