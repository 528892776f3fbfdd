import { Argument, Option, type Command } from 'commander';
import type { SyncRun } from '../client/index.ts';
import { createCommandAdder, registerCommand, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { type ExitCode, UsageError, exitCodes } from './errors.ts';
import { pollUntilFinished } from './poll-until-finished.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { directoriesList, directoryArgument, idArgument, idOption, pageOptions, parseId, sampleIds, wideOption } from './options.ts';
import { pluralize, shortTime } from './output/format.ts';
import { createProgress } from './output/progress.ts';
import { exitCodeOf, isFinished, printRun, toStep } from './print-run.ts';
import { registerSyncFiles } from './sync-files.ts';

const syncsList = 'rollcall syncs list <directory>';
const runArgument = () => idArgument('run', 'sync run', syncsList);

interface SyncOptions {
  all?: boolean;
  confirm?: string;
  wait: boolean;
}

export function registerSync(command: Command, select: Select): void {
  registerCommand(
    command,
    {
      arguments: [new Argument('[directory]', 'ID of the directory').argParser((typed: string) => parseId(typed, directoriesList))],
      options: [
        new Option('--all', 'sync all pulled directories'),
        idOption('--confirm <run>', 'apply the removals that this run reported', syncsList).conflicts('all'),
        new Option('--no-wait', 'start the sync without waiting for its end'),
        wideOption(),
      ],
      examples: [
        `rollcall sync ${sampleIds.directory}`,
        'rollcall sync --all --no-wait',
        `rollcall sync ${sampleIds.directory} --confirm ${sampleIds.run}`,
      ],
      validate: toDirectoryId,
      action: (context) => (context.input === undefined ? syncAll(context) : syncDirectory(context, context.input)),
    },
    select,
  );
  registerSyncFiles(command, select);
}

export function registerSyncs(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the sync runs of a directory, newest first',
    arguments: [directoryArgument()],
    options: pageOptions(),
    examples: [`rollcall syncs list ${sampleIds.directory}`],
    action: listSyncs,
  });
  add({
    name: 'show',
    summary: 'Show a sync run and the changes that could not be applied',
    arguments: [directoryArgument(), runArgument()],
    examples: [`rollcall syncs show ${sampleIds.directory} ${sampleIds.run}`],
    action: showSync,
  });
  add({
    name: 'cancel',
    summary: 'Cancel a sync run',
    arguments: [directoryArgument(), runArgument()],
    examples: [`rollcall syncs cancel ${sampleIds.directory} ${sampleIds.run}`],
    action: cancelSync,
  });
}

/** Returns undefined for all directories. */
function toDirectoryId({ args: [directory], options: { all }, exampleFor }: ParsedCommand<SyncOptions>): string | undefined {
  if (all && directory !== undefined) throw new UsageError(`<directory> and --all cannot be used together. Example: ${exampleFor()}`);
  if (!all && directory === undefined) throw new UsageError(`Specify <directory> or --all. Example: ${exampleFor()}`);
  return directory;
}

type SyncContext = Context<SyncOptions, string | undefined>;

async function syncDirectory({ options, shell, client, unwrap, errorContext, print }: SyncContext, directory: string): Promise<ExitCode> {
  const started = await unwrap(client.syncs.start(directory, options.confirm === undefined ? {} : { confirm: options.confirm }));
  const progress = createProgress(shell);
  const run = options.wait
    ? await pollUntilFinished({
        read: () => client.syncs.get(directory, started.id),
        isFinished,
        show: (one) => progress.show(toStep(one)),
        progress,
        errorContext,
      })
    : started;
  if (options.json) print.json(run);
  else printRun(print, run);
  return exitCodeOf([run]);
}

/** Starts the syncs that are not running yet, and waits for all. */
async function syncAll({ options, shell, client, unwrap, errorContext, print }: SyncContext): Promise<ExitCode> {
  const [google, entra] = [await unwrap(client.syncs.startAll()), await unwrap(client.syncs.startAllEntra())];
  const started = { ...google, directories: [...google.directories, ...entra.directories] };
  const total = started.directories.length;
  if (total === 0) print.note('No pulled directories to sync.');
  if (!options.wait || total === 0) {
    if (options.json) print.json(started);
    else if (total > 0) print.line(`Syncing ${pluralize(total, 'directory', 'directories')}.`);
    return exitCodes.success;
  }
  const progress = createProgress(shell);
  const runs: SyncRun[] = [];
  for (const { directory_id: directory, run_id: run } of started.directories)
    runs.push(
      await pollUntilFinished({
        read: () => client.syncs.get(directory, run),
        isFinished,
        show: () => progress.show({ text: 'Syncing directories', done: runs.length, total }),
        progress,
        errorContext,
      }),
    );
  if (options.json) print.json(runs);
  else
    print.table(
      [
        { title: 'Directory', value: (run) => run.directory_id },
        { title: 'Run', value: (run) => run.id, wideOnly: true },
        { title: 'State', value: ({ state }) => state },
        { title: 'Error', value: ({ error }) => error?.message, mayShrink: true },
      ],
      runs,
      { wide: options.wide },
    );
  return exitCodeOf(runs);
}

function listSyncs(context: Context<PageOptions>): Promise<void> {
  const { args, client } = context;
  return printList(context, {
    fetchPage: (page) => client.syncs.list(args[0]!, page),
    columns: [
      { title: 'ID', value: (run) => run.id },
      { title: 'Requested', value: ({ requested_at: at }) => shortTime(at) },
      { title: 'Trigger', value: ({ trigger }) => trigger, wideOnly: true },
      { title: 'State', value: ({ state }) => state },
      { title: 'Error', value: ({ error }) => error?.message, wideOnly: true },
    ],
    noun: 'sync runs',
  });
}

async function showSync({ args: [directory, id], options, client, unwrap, print }: Context): Promise<void> {
  const run = await unwrap(client.syncs.get(directory!, id!));
  return options.json ? print.json(run) : printRun(print, run);
}

async function cancelSync({ args: [directory, id], options, client, unwrap, print }: Context): Promise<void> {
  const run = await unwrap(client.syncs.cancel(directory!, id!));
  return options.json ? print.json(run) : printRun(print, run);
}
