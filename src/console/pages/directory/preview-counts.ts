import { countOf } from '../../parts/words.ts';

/** What every preview counts. */
export interface Counts {
  users: number;
  checked: number;
  is_partial: boolean;
  would_update: number;
  estimated_updates: number;
}

/** For those who may not preview. */
export const uncounted = 'Each user who changes gets a user.updated. How many those are is not known without people:read.';

/** How many users would change, and so, how many events would be sent. */
export function describeCounts({
  users,
  checked,
  is_partial: isPartial,
  would_update: changed,
  estimated_updates: estimated,
}: Counts): string {
  if (users === 0) return 'The directory has no users yet, so no event would be sent.';
  if (!isPartial) {
    if (changed === 0) return 'No user would change, so no event would be sent.';
    return `${countOf(changed, 'user')} of ${users.toLocaleString()} would change, each with a user.updated.`;
  }
  const sample = `Of the newest ${countOf(checked, 'user')}, ${changed.toLocaleString()} would change, each with a user.updated.`;
  return `${sample} Of all ${users.toLocaleString()}, about ${estimated.toLocaleString()} would.`;
}
