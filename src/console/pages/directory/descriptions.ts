import type { SyncCounts, SyncRun } from '../../../client/generated/types.ts';

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
    [users.created, 'users created'],
    [users.updated, 'users updated'],
    [users.deleted, 'users deleted'],
    [groups.created, 'groups created'],
    [groups.updated, 'groups updated'],
    [groups.deleted, 'groups deleted'],
    [members.added, 'members added'],
    [members.removed, 'members removed'],
  ] as const;
  return (
    parts
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${count.toLocaleString()} ${what}`)
      .join(', ') || 'Nothing'
  );
}
