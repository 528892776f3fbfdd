import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { isId } from '../ids.ts';
import { fillCommand, type Choose, type Typed } from './add-command.ts';
import { UsageError } from './failures.ts';
import { idOption } from './options.ts';
import { examples } from './example-ids.ts';

const directoryArgument = () =>
  new Argument('[directory]', 'id of the directory').argParser((typed: string) => {
    if (!isId(typed))
      throw new InvalidArgumentError(`must be an id like ${examples.directory}, not {}: \`rollcall directories list\` shows ids.`);
    return typed.toLowerCase();
  });

export function fillSync(command: Command, choose: Choose): void {
  fillCommand(
    command,
    {
      arguments: [directoryArgument()],
      options: [
        new Option('--all', 'all directories of type google'),
        idOption('--confirm <run>', 'carry out the removals that this run asked about', '`rollcall syncs list`').conflicts('all'),
        new Option('--no-wait', 'do not wait for its end'),
      ],
      examples: [
        `rollcall sync ${examples.directory}`,
        'rollcall sync --all --no-wait',
        `rollcall sync ${examples.directory} --confirm ${examples.run}`,
      ],
      judge: toDirectory,
      load: async () => (await import('./syncs/sync-directory.ts')).syncDirectory,
    },
    choose,
  );
}

/** None where all are meant. */
function toDirectory({ args: [directory], options: { all }, exampleFor }: Typed<{ all?: boolean }>): string | undefined {
  if (all && directory !== undefined)
    throw new UsageError(`<directory> and --all exclude each other: give one of them. Example: ${exampleFor()}`);
  if (!all && directory === undefined) throw new UsageError(`rollcall sync wants <directory>, or --all. Example: ${exampleFor()}`);
  return directory;
}
