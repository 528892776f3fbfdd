import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { isId } from '../ids.ts';
import { addCommand, type Choose } from './add-command.ts';
import { idOption } from './options.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const runId = '0197a3e1-40b7-7e93-8d25-1a3c5e7f9b86';

const directoryArgument = () =>
  new Argument('[directory]', 'id of the directory').argParser((typed: string) => {
    if (!isId(typed)) throw new InvalidArgumentError(`must be an id like ${id}, not {}: \`rollcall directories list\` shows ids.`);
    return typed.toLowerCase();
  });

export function addSync(program: Command, choose: Choose): void {
  addCommand(
    program,
    {
      name: 'sync',
      summary: 'Reads a directory of type google now, and shows what changed',
      arguments: [directoryArgument()],
      options: [
        new Option('--all', 'all directories of type google'),
        idOption('--confirm <run>', 'carry out the removals that this run asked about', '`rollcall syncs list`').conflicts('all'),
        new Option('--no-wait', 'do not wait for its end'),
      ],
      examples: [`rollcall sync ${id}`, 'rollcall sync --all --no-wait', `rollcall sync ${id} --confirm ${runId}`],
      load: async () => (await import('./syncs/sync-directory.ts')).syncDirectory,
    },
    choose,
  );
}
