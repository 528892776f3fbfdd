import { Argument, type Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';
import { exitCodes, exitCodesText } from './exit-codes.ts';
import { fullName } from './explain-usage.ts';
import { UsageError } from './failures.ts';
import { nearest } from '../shared/suggest.ts';

export function fillHelp(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      arguments: [new Argument('[command...]', 'which command, or exit-codes')],
      examples: ['rollcall help directories create', 'rollcall help exit-codes'],
      run: async ({ stdout }) => {
        if (command.args[0] === 'exit-codes') stdout.write(`${exitCodesText}\n`);
        else findCommand(command.parent!, command.args).outputHelp();
        return exitCodes.done;
      },
    },
    choose,
  );
}

export function fillVersion(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      examples: ['rollcall version'],
      run: async ({ stdout }) => {
        stdout.write(`${(await import('../shared/version.ts')).readVersion()}\n`);
        return exitCodes.done;
      },
    },
    choose,
  );
}

function findCommand(program: Command, words: string[]): Command {
  let command = program;
  for (const [at, word] of words.entries()) {
    const names = command.commands.map((one) => one.name());
    const found = command.commands.find((one) => one.name() === word);
    if (!found) {
      const meant = nearest(word, command === program ? [...names, 'exit-codes'] : names);
      throw new UsageError(
        `${fullName(command)} has no command ${word}.${meant === undefined ? '' : ` Did you mean ${meant}?`} Example: ${['rollcall help', ...(meant === undefined ? ['directories create'] : [...words.slice(0, at), meant])].join(' ')}`,
      );
    }
    command = found;
  }
  return command;
}
