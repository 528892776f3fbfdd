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
      run: async (shell) =>
        (await import('./backup/backup-and-restore.ts')).backUp(command.processedArgs[0] as string, command.opts(), shell),
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
      run: async (shell) =>
        (await import('./backup/backup-and-restore.ts')).restore(command.processedArgs[0] as string, command.opts(), shell),
    },
    select,
  );
}
