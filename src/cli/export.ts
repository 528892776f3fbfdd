import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option, type Command } from 'commander';
import { SnapshotError, type SnapshotLine } from '../client/index.ts';
import { registerCommand, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { CommandError, exitCodes, toCommandError } from './errors.ts';
import { directoryArgument, sampleIds } from './options.ts';
import { pluralize } from './output/format.ts';
import { replaceFile } from './output/replace-file.ts';

interface ExportOptions {
  output?: string;
}

export function registerExport(command: Command, select: Select): void {
  registerCommand<ExportOptions>(
    command,
    {
      arguments: [directoryArgument()],
      options: [new Option('--output <file>', 'the file to write or replace, once it is complete (default: the standard output)')],
      examples: [`rollcall export ${sampleIds.directory} --output acme.jsonl`, `rollcall export ${sampleIds.directory} > acme.jsonl`],
      action: exportDirectory,
    },
    select,
  );
}

/** Fails unless it reads the last line, so that a part is never taken for the whole. */
async function exportDirectory({
  args: [directory],
  options: { output, json },
  shell,
  client,
  errorContext,
  print,
}: Context<ExportOptions>) {
  let end: Extract<SnapshotLine, { type: 'end' }> | undefined;
  try {
    if (output === undefined) await pipeline(Readable.from(write()), shell.stdout, { end: false });
    else await writeFile(output, write());
  } catch (error) {
    if (error instanceof SnapshotError) throw toCommandError(error.details, errorContext);
    throw error;
  }
  if (output === undefined || !end) return;
  const { sequence, users, groups, memberships } = end;
  if (json) return print.json({ file: output, sequence, users, groups, memberships });
  print.line(
    `Wrote ${pluralize(users, 'user')}, ${pluralize(groups, 'group')} and ${pluralize(memberships, 'membership')} to ${output}, up to event ${sequence}.`,
  );

  async function* write(): AsyncGenerator<string> {
    let text = '';
    for await (const line of client.readSnapshot(directory!)) {
      text += `${JSON.stringify(line)}\n`;
      if (line.type === 'end') end = line;
      if (text.length < pieceChars && line.type !== 'end') continue;
      yield text;
      text = '';
    }
  }
}

const pieceChars = 65_536;

async function writeFile(file: string, text: AsyncIterable<string>): Promise<void> {
  try {
    await replaceFile(file, text);
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    throw new CommandError(
      exitCodes.failed,
      `Cannot write ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}).`,
    );
  }
}
