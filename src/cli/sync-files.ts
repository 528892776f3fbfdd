import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Argument, Option, type Command } from 'commander';
import type { FilesToUpload, SyncRun, UploadedFiles } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { CommandError, type ExitCode, exitCodes, toCommandError, UsageError } from './errors.ts';
import { directoryArgument, sampleIds } from './options.ts';
import { pluralize } from './output/format.ts';
import { createProgress, type Progress, throttleProgress } from './output/progress.ts';
import { exitCodeOf, isFinished, printRun, toStep } from './print-run.ts';
import { pollUntilFinished } from './poll-until-finished.ts';

interface FilesOptions {
  dryRun?: boolean;
  charset?: string;
  wait: boolean;
}

const kinds: Record<string, keyof FilesToUpload> = { 'users.csv': 'users', 'groups.csv': 'groups', 'user_groups.csv': 'memberships' };
const names = Object.keys(kinds).join(', ');

export function registerSyncFiles(parent: Command, select: Select): void {
  createCommandAdder(
    parent,
    select,
  )<FilesOptions, Map<keyof FilesToUpload, string>>({
    name: 'files',
    summary: 'Upload the files of a directory of type csv, and sync it with them',
    arguments: [directoryArgument(), new Argument('<file...>', `files named ${names}`)],
    options: [
      new Option('--dry-run', 'only say what the sync would change'),
      new Option('--charset <name>', 'encoding of files without a byte order mark, such as windows-1252 (default: utf-8)'),
      new Option('--no-wait', 'upload the files without waiting for the end of the sync'),
    ],
    examples: [
      `rollcall sync files ${sampleIds.directory} users.csv groups.csv user_groups.csv`,
      `rollcall sync files ${sampleIds.directory} users.csv --dry-run --charset windows-1252`,
    ],
    validate: selectFiles,
    action: syncFiles,
  });
}

function selectFiles({ args: [, ...paths], exampleFor }: ParsedCommand<FilesOptions>): Map<keyof FilesToUpload, string> {
  const files = new Map<keyof FilesToUpload, string>();
  for (const path of paths) {
    const kind = kinds[basename(path).toLowerCase()];
    if (!kind) throw new UsageError(`${path} must be named ${names}. Example: ${exampleFor()}`);
    if (files.has(kind)) throw new UsageError(`${basename(path)} is given twice. Example: ${exampleFor()}`);
    files.set(kind, path);
  }
  if (!files.has('users')) throw new UsageError(`users.csv is missing. Example: ${exampleFor()}`);
  return files;
}

type FilesContext = Context<FilesOptions, Map<keyof FilesToUpload, string>>;

async function syncFiles({ args: [directory], input, options, shell, client, print, errorContext }: FilesContext): Promise<ExitCode> {
  const progress = createProgress(shell);
  const before = (await client.syncs.list(directory!, { limit: 1 })).data?.[0];
  const files = Object.fromEntries(await Promise.all([...input].map(async ([kind, path]) => [kind, await openFile(path)] as const)));
  const { data: uploaded, error } = await client.uploadFiles(directory!, files as unknown as FilesToUpload, {
    dryRun: options.dryRun,
    charset: options.charset,
    onProgress: showUpload(throttleProgress(progress)),
  });
  progress.end();
  if (error) {
    for (const { file, line, column, message } of error.problems ?? [])
      print.note(`${file}${line === null ? '' : `:${line}`}${column === null ? '' : `:${column}`} ${message}`);
    if (error.more_problems) print.note(`And ${error.more_problems} more.`);
    throw toCommandError(error, errorContext);
  }
  if (!options.json) print.line(describeUpload(uploaded));
  if (!options.wait) {
    if (options.json) print.json(uploaded);
    return exitCodes.success;
  }
  let readsNewest = uploaded.run_id === null;
  const read = async () => {
    if (!readsNewest) {
      const found = await client.syncs.get(directory!, uploaded.run_id!);
      if (found.data?.error?.code !== 'replaced') return found;
      readsNewest = true;
    }
    // The run before must end first, or another run has replaced the one of the upload.
    const { data, ...others } = await client.syncs.list(directory!, { limit: 1 });
    return { data: data?.[0] ?? null, ...others } as Awaited<ReturnType<typeof client.syncs.get>>;
  };
  const run = await pollUntilFinished<SyncRun, unknown>({
    read,
    isFinished: (one) => isFinished(one) && one.error?.code !== 'replaced' && (uploaded.run_id !== null || one.id !== before?.id),
    show: (one) => progress.show(toStep(one)),
    progress,
    errorContext,
  }).catch((failure: unknown) => {
    if (!(failure instanceof CommandError) || failure.exitCode !== exitCodes.unauthorized) throw failure;
    throw new CommandError(
      failure.exitCode,
      `The files were uploaded, but the API key may not read the sync: use --no-wait. ${failure.message}`,
      failure.field,
    );
  });
  if (options.json) print.json(run);
  else printRun(print, run);
  return run.error?.code === 'dry_run' ? exitCodes.success : exitCodeOf([run]);
}

const showUpload = (progress: Progress) => (sentBytes: number, totalBytes: number) =>
  progress.show({ text: 'Uploading the files', done: toKilobytes(sentBytes), total: toKilobytes(totalBytes), unit: 'kB' });

/** Rounded up, so that a small file is not 0 of 0. */
const toKilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);

/** The last file of a set counts all of them. */
const describeUpload = ({ users, groups, memberships }: UploadedFiles): string =>
  users === null || groups === null || memberships === null
    ? 'Uploaded. The set is not complete yet.'
    : `Uploaded ${pluralize(users, 'user')}, ${pluralize(groups, 'group')} and ${pluralize(memberships, 'membership')}.`;

/** Its content is read while it is sent. */
async function openFile(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path);
  } catch {
    throw new CommandError(exitCodes.failed, `${path} can't be read: check its name and its permissions.`);
  }
}
