import { Argument, type Command, Option } from 'commander';
import { findClosest, suggest } from '../shared/suggest.ts';
import { registerPlainCommand, type Select } from './command.ts';
import { UsageError, exitCodes, exitCodesText } from './errors.ts';
import { commandName } from './usage-errors.ts';
import { connectionOptions, directoryOption, productOption, tenantOption, urlOption } from './options.ts';

export function registerHelp(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      arguments: [new Argument('[command...]', 'a command, or exit-codes')],
      examples: ['rollcall help directories create', 'rollcall help exit-codes'],
      run: async ({ stdout }) => {
        if (command.args[0] === 'exit-codes') stdout.write(`${exitCodesText}\n`);
        else findCommand(command.parent!, command.args).outputHelp();
        return exitCodes.success;
      },
    },
    select,
  );
}

export function registerVersion(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      examples: ['rollcall version'],
      run: async ({ stdout }) => {
        stdout.write(`${(await import('../paths.ts')).readVersion()}\n`);
        return exitCodes.success;
      },
    },
    select,
  );
}

function findCommand(program: Command, words: string[]): Command {
  let command = program;
  for (const [index, word] of words.entries()) {
    const names = command.commands.map((one) => one.name());
    const found = command.commands.find((one) => one.name() === word);
    if (!found) {
      const suggestion = findClosest(word, command === program ? [...names, 'exit-codes'] : names);
      const example = suggestion === undefined ? ['directories', 'create'] : [...words.slice(0, index), suggestion];
      throw new UsageError(
        `Unknown command: ${command === program ? word : `${commandName(command)} ${word}`}.${suggest(suggestion)} Example: rollcall help ${example.join(' ')}`,
      );
    }
    command = found;
  }
  return command;
}

export function registerDoctor(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      options: [
        urlOption('--webhook-url <url>', 'check whether webhooks can reach this URL'),
        directoryOption('check the webhook of this directory'),
        tenantOption('check the webhooks of this tenant; requires --product'),
        productOption('check the webhooks of this product'),
        new Option('--send-test', 'also send a signed test event to each webhook'),
        ...connectionOptions(),
      ],
      examples: [
        'rollcall doctor',
        'rollcall doctor --webhook-url https://app.example/hooks',
        'rollcall doctor --tenant acme --product crm --send-test',
      ],
      run: async (shell) => (await import('./doctor/run-checks.ts')).runChecks(command.opts(), shell),
    },
    select,
  );
}
