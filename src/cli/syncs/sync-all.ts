import type { Context } from '../add-command.ts';
import type { SyncRun } from '../../client/index.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { follow } from '../follow.ts';
import { createProgress } from '../progress.ts';
import { isOver } from './print-run.ts';

interface Options {
  wait: boolean;
}

/** Starts what does not run yet, and waits for all. */
export async function syncAll({ options, shell, client, ask, asked, print }: Omit<Context<Options>, 'judged'>): Promise<ExitCode> {
  const started = await ask(client.syncs.startAll());
  if (started.directories.length === 0) print.note('There is no directory of type google that can be read.');
  if (!options.wait || started.directories.length === 0) {
    if (options.json) print.json(started);
    else if (started.directories.length > 0) print.line(`${started.directories.length} directories are being read.`);
    return exitCodes.done;
  }
  const progress = createProgress(shell);
  const runs: SyncRun[] = [];
  for (const { directory_id: directory, run_id: run } of started.directories)
    runs.push(
      await follow({
        read: () => client.syncs.get(directory, run),
        isOver,
        show: () => progress.show({ text: 'Directories read', done: runs.length, total: started.directories.length }),
        progress,
        asked,
      }),
    );
  if (options.json) print.json(runs);
  else
    print.table(
      [
        { title: 'Directory', value: (run) => run.directory_id },
        { title: 'Run', value: (run) => run.id },
        { title: 'State', value: ({ state }) => state },
        { title: 'Why', value: ({ error }) => error?.message, mayShrink: true },
      ],
      runs,
    );
  if (runs.some(({ state }) => state === 'failed' || state === 'canceled')) return exitCodes.failed;
  return runs.some(({ state }) => state === 'needs_confirmation') ? exitCodes.wantsConfirmation : exitCodes.done;
}
