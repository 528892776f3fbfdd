import type { Context } from '../add-command.ts';
import type { SyncRun } from '../../client/index.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { follow } from '../follow.ts';
import { createProgress } from '../progress.ts';
import { isOver, printRun, toStep } from './print-run.ts';
import { syncAll } from './sync-all.ts';

export interface SyncOptions {
  all?: boolean;
  confirm?: string;
  wait: boolean;
}

/** Of one directory, or where none is named, of all. */
export async function syncDirectory(context: Context<SyncOptions, string | undefined>): Promise<ExitCode> {
  const { options, shell, client, ask, asked, judged: directory, print } = context;
  if (directory === undefined) return syncAll(context);
  const run = await ask(client.syncs.start(directory, options.confirm === undefined ? {} : { confirm: options.confirm }));
  const progress = createProgress(shell);
  const ended = options.wait
    ? await follow({
        read: () => client.syncs.get(directory, run.id),
        isOver,
        show: (one) => progress.show(toStep(one)),
        progress,
        asked,
      })
    : run;
  if (options.json) print.json(ended);
  else printRun(print, ended);
  return exitCodeOf(ended);
}

/** One that goes on is as good as it can be. */
export function exitCodeOf({ state }: Pick<SyncRun, 'state'>): ExitCode {
  if (state === 'needs_confirmation') return exitCodes.wantsConfirmation;
  return ['queued', 'running', 'succeeded'].includes(state) ? exitCodes.done : exitCodes.failed;
}
