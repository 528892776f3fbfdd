import { ChangeRejectedError } from './change-errors.ts';
import { type Documents, sizeOfPushed } from '../../scim/pushed.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import { limitOf, quotaReached, type DirectoryUsage, type Quota } from '../quotas.ts';
import type { Journal } from './journal.ts';
import type { Snapshot } from './snapshot.ts';

/** `Memberships` counts the memberships. */
type Counted = Exclude<keyof DirectoryUsage, 'memberships'>;

/** Compares what the directory contains during a mutation with its quotas. */
export function createQuotaChecks({ usage, quotas }: Pick<Snapshot, 'usage' | 'quotas'>, journal: Journal) {
  const changed = new Map<Counted, number>();
  const current = (quota: Counted) => changed.get(quota) ?? usage[quota];

  const counter = {
    bytesOf: (row: Documents | undefined) => (row === undefined ? 0 : sizeOf(row.resource).bytes + sizeOfPushed(row.pushed).bytes),
    add(quota: Counted, more: number): void {
      if (more !== 0) journal.set(changed, quota, current(quota) + more);
    },
    /** Throws if the growth exceeds the quota. A change without growth is allowed even above a quota that was lowered. */
    assertRoom(quota: Quota, more: number, before: number): void {
      if (more > 0 && before + more > limitOf(quotas, quota)) throw new ChangeRejectedError(quotaReached(quotas, quota));
    },
    assertRoomFor(growth: Partial<Record<Counted, number>>): void {
      for (const [quota, more] of Object.entries(growth) as [Counted, number][]) counter.assertRoom(quota, more, current(quota));
    },
    /** A member is in at most as many groups as exist: usually nothing has to be counted. */
    isNearGroupsPerMember: () => current('groups') >= limitOf(quotas, 'groupsPerMember'),
    resourceBytesMore: () => current('resourceBytes') - usage.resourceBytes,
  };
  return counter;
}
