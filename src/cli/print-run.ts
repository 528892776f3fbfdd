import type { SyncCounts, SyncRun } from '../client/index.ts';
import { type ExitCode, exitCodes } from './errors.ts';
import { pluralize, shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';
import type { Step } from './output/progress.ts';

/** A run that has not finished is no failure. */
export function exitCodeOf(runs: Pick<SyncRun, 'state'>[]): ExitCode {
  const states = new Set(runs.map(({ state }) => state));
  if (states.has('failed') || states.has('canceled')) return exitCodes.failed;
  return states.has('needs_confirmation') ? exitCodes.confirmationRequired : exitCodes.success;
}

export const isFinished = ({ finished_at: finishedAt }: SyncRun): boolean => finishedAt !== null;

const readingPhases: Record<string, keyof SyncRun['seen']> = { users: 'users', groups: 'groups', members: 'members' };

export function toStep({ state, phase, seen, planned, changed, notice }: SyncRun): Step {
  if (notice) return { text: notice };
  if (state === 'queued') return { text: 'Queued' };
  const kind = readingPhases[phase ?? ''];
  if (kind) return { text: `Reading ${kind}:`, done: seen[kind] };
  if (phase === 'applying' && planned) return { text: 'Applying', done: sum(changed), total: sum(planned) };
  return { text: phase === 'comparing' ? 'Comparing' : 'Finishing' };
}

const sum = ({ users, groups, members }: SyncCounts) =>
  [...Object.values(users), ...Object.values(groups), ...Object.values(members)].reduce((total, one) => total + one, 0);

export function printRun(print: Printer, run: SyncRun): void {
  const { seen } = run;
  const { users, groups, members } = run.changed;
  print.fields([
    ['Run', run.id],
    ['State', run.state],
    ['Error', run.error?.message],
    ['Notice', run.notice],
    ['Requested', shortTime(run.requested_at)],
    ['Finished', shortTime(run.finished_at)],
    ['Duration', isFinished(run) && run.duration_ms !== null ? `${(run.duration_ms / 1_000).toFixed(1)} s` : ''],
    ['Read', `${pluralize(seen.users, 'user')}, ${pluralize(seen.groups, 'group')}, ${pluralize(seen.members, 'member')}`],
    ['Users', `${users.created} created, ${users.updated} updated, ${users.deleted} deleted`],
    ['Groups', `${groups.created} created, ${groups.updated} updated, ${groups.deleted} deleted`],
    ['Members', `${members.added} added, ${members.removed} removed`],
    ...(run.error?.code === 'dry_run' && run.planned ? plannedFields(run.planned) : []),
    ['Not applied', run.failed > 0 ? run.failed : ''],
    ['Drift', run.drift ?? ''],
  ]);
  if (run.failures.length > 0) {
    print.line();
    print.table(
      [
        { title: 'Not applied', value: ({ external_id: id }) => id, mayShrink: true },
        { title: 'Reason', value: ({ reason }) => reason, mayShrink: true },
      ],
      run.failures,
    );
  }
  if (run.state === 'needs_confirmation')
    print.note(
      `\nNothing was changed. To apply these removals: rollcall sync ${run.directory_id} --confirm ${run.id}\nTo refuse them: rollcall syncs cancel ${run.directory_id} ${run.id}`,
    );
  else if (!isFinished(run))
    print.note(`\nThe sync is still running. To check its progress: rollcall syncs show ${run.directory_id} ${run.id}`);
}

const plannedFields = ({ users, groups, members }: SyncCounts): [string, string][] => [
  ['Would change users', `${users.created} created, ${users.updated} updated, ${users.deleted} deleted`],
  ['Would change groups', `${groups.created} created, ${groups.updated} updated, ${groups.deleted} deleted`],
  ['Would change members', `${members.added} added, ${members.removed} removed`],
];
