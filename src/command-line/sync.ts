import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { isId } from '../ids.ts';
import { fillCommand, type Choose } from './add-command.ts';
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
      load: async () => (await import('./syncs/sync-directory.ts')).syncDirectory,
    },
    choose,
  );
}
