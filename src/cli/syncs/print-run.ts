import type { SyncCounts, SyncRun } from '../../client/index.ts';
import type { Printer } from '../print.ts';
import type { Step } from '../progress.ts';
import { shortTime } from '../times.ts';

export const isOver = ({ finished_at: finishedAt }: SyncRun): boolean => finishedAt !== null;

const reading: Record<string, keyof SyncRun['seen']> = { users: 'users', groups: 'groups', members: 'members' };

/** How far a run is, for its line of progress. */
export function toStep({ state, phase, seen, planned, changed, notice }: SyncRun): Step {
  if (notice) return { text: notice };
  if (state === 'queued') return { text: 'Waiting to be read' };
  const kind = reading[phase ?? ''];
  if (kind) return { text: `Reading ${kind}:`, done: seen[kind] };
  if (phase === 'applying' && planned) return { text: 'Applying', done: sum(changed), total: sum(planned) };
  return { text: phase === 'comparing' ? 'Comparing' : 'Ending' };
}

const sum = ({ users, groups, members }: SyncCounts) =>
  [...Object.values(users), ...Object.values(groups), ...Object.values(members)].reduce((total, one) => total + one, 0);

export function printRun(print: Printer, run: SyncRun): void {
  const { users, groups, members } = run.changed;
  print.fields([
    ['Run', run.id],
    ['State', run.state],
    ['Why', run.error?.message],
    ['Notice', run.notice],
    ['Asked for', shortTime(run.requested_at)],
    ['Ended', shortTime(run.finished_at)],
    ['Took', isOver(run) && run.duration_ms !== null ? `${(run.duration_ms / 1_000).toFixed(1)} s` : ''],
    ['Seen', `${run.seen.users} users, ${run.seen.groups} groups, ${run.seen.members} members`],
    ['Users', `${users.created} created, ${users.updated} updated, ${users.deleted} deleted`],
    ['Groups', `${groups.created} created, ${groups.updated} updated, ${groups.deleted} deleted`],
    ['Members', `${members.added} added, ${members.removed} removed`],
    ['Not applied', run.refused > 0 ? run.refused : ''],
  ]);
  if (run.refusals.length > 0) {
    print.line();
    print.table(
      [
        { title: 'Not applied', value: ({ external_id: id }) => id, mayShrink: true },
        { title: 'Why', value: ({ reason }) => reason, mayShrink: true },
      ],
      run.refusals,
    );
  }
  if (run.state === 'needs_confirmation')
    print.note(`\nNothing was changed. If these removals are right, say so: rollcall sync ${run.directory_id} --confirm ${run.id}`);
  else if (!isOver(run)) print.note(`\nIt goes on. \`rollcall syncs show ${run.directory_id} ${run.id}\` shows how far it is.`);
}
