import { Argument, type Command } from 'commander';
import { addPlainCommand, type Choose } from './add-command.ts';
import { exitCodes, exitCodesText } from './exit-codes.ts';
import { fullName } from './explain-usage.ts';
import { UsageError } from './failures.ts';
import { nearest } from './nearest.ts';

export function addHelp(program: Command, choose: Choose): void {
  addPlainCommand(
    program,
    {
      name: 'help',
      summary: 'This text, that of a command, or what the exit codes mean (help exit-codes)',
      arguments: [new Argument('[command...]', 'which command, or exit-codes')],
      examples: ['rollcall help directories create', 'rollcall help exit-codes'],
      run: async ({ stdout }, { args }) => {
        if (args[0] === 'exit-codes') stdout.write(`${exitCodesText}\n`);
        else findCommand(program, args).outputHelp();
        return exitCodes.done;
      },
    },
    choose,
  );
  addPlainCommand(
    program,
    {
      name: 'version',
      summary: 'The version of this program',
      examples: ['rollcall version'],
      run: async ({ stdout }) => {
        stdout.write(`${(await import('./version.ts')).version}\n`);
        return exitCodes.done;
      },
    },
    choose,
  );
}

function findCommand(program: Command, words: string[]): Command {
  let command = program;
  for (const word of words) {
    const names = command.commands.map((one) => one.name());
    const found = command.commands.find((one) => one.name() === word);
    if (!found) {
      const meant = nearest(word, [...names, 'exit-codes']);
      throw new UsageError(
        `${fullName(command)} has no command ${word}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Example: rollcall help directories create`,
      );
    }
    command = found;
  }
  return command;
}
