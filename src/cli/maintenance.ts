import { Argument, Option, type Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { jsonOption } from './options.ts';

export function registerBackup(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      arguments: [new Argument('<file>', 'file to create')],
      options: [
        new Option('--with-keys', 'include the encryption keys and the API key of the data folder'),
        new Option('--without-keys', 'replace a backup that has keys with one that has none').conflicts('withKeys'),
        jsonOption(),
      ],
      examples: ['rollcall backup /backups/rollcall.backup', 'rollcall backup /backups/rollcall.backup --with-keys'],
      run: async (shell) => (await import('./maintenance/backup.ts')).backUp(command.processedArgs[0] as string, command.opts(), shell),
    },
    select,
  );
}

export function registerRestore(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      arguments: [new Argument('<file>', 'file that `rollcall backup` created')],
      options: [jsonOption()],
      examples: ['rollcall restore /backups/rollcall.backup'],
      run: async (shell) => (await import('./maintenance/backup.ts')).restore(command.processedArgs[0] as string, command.opts(), shell),
    },
    select,
  );
}

export function registerKeys(parent: Command, select: Select): void {
  const rewrap = parent
    .command('rewrap')
    .description('Re-encrypt everything with the first key in ENCRYPTION_KEYS, and report which keys are unused');
  registerPlainCommand(
    rewrap,
    {
      options: [
        new Option('--plan', 'only count what is encrypted with which key'),
        new Option('--without-temporal', 'skip workflows: only for the library without Temporal'),
        jsonOption(),
      ],
      examples: ['rollcall keys rewrap --plan', 'rollcall keys rewrap'],
      run: async (shell) => (await import('./maintenance/rewrap-keys.ts')).rewrapKeys(rewrap.opts(), shell),
    },
    select,
  );
}
