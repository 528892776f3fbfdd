import { Argument, Option, type Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';
import { jsonOption } from './options.ts';

export function registerBackup(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      arguments: [new Argument('<file>', 'where to write it')],
      options: [new Option('--with-keys', 'include the encryption keys and the API key of the data folder'), jsonOption()],
      examples: ['rollcall backup /backups/rollcall.backup', 'rollcall backup /backups/rollcall.backup --with-keys'],
      run: async (shell) => (await import('./backup/back-up.ts')).backUp(command.processedArgs[0] as string, command.opts(), shell),
    },
    choose,
  );
}

export function registerRestore(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      arguments: [new Argument('<file>', 'a file that `rollcall backup` wrote')],
      options: [jsonOption()],
      examples: ['rollcall restore /backups/rollcall.backup'],
      run: async (shell) => (await import('./backup/restore.ts')).restore(command.processedArgs[0] as string, command.opts(), shell),
    },
    choose,
  );
}
