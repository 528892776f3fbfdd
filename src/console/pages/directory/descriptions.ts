import type { SyncCounts, SyncRun } from '../../../client/generated/types.ts';
import { countOf } from '../../parts/words.ts';

const phases: Record<NonNullable<SyncRun['phase']>, string> = {
  users: 'Reading users',
  groups: 'Reading groups',
  members: 'Reading members',
  comparing: 'Comparing',
  applying: 'Applying changes',
};

export const describeProgress = ({ phase, seen }: SyncRun): string =>
  `${phase ? `${phases[phase]}: ` : ''}${seen.users.toLocaleString()} users, ${seen.groups.toLocaleString()} groups, ${seen.members.toLocaleString()} members read`;

/** Only what is not 0. */
export function describeCounts({ users, groups, members }: SyncCounts): string {
  const parts = [
    [users.created, 'user', 'created'],
    [users.updated, 'user', 'updated'],
    [users.deleted, 'user', 'deleted'],
    [groups.created, 'group', 'created'],
    [groups.updated, 'group', 'updated'],
    [groups.deleted, 'group', 'deleted'],
    [members.added, 'member', 'added'],
    [members.removed, 'member', 'removed'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, one, done]) => `${countOf(count, one)} ${done}`)
      .join(', ') || 'Nothing'
  );
}
