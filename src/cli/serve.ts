import type { Command } from 'commander';
import { fillPlainCommand, type Choose } from './add-command.ts';

/** The service itself. It takes no options: its settings are variables. */
export function fillServe(command: Command, choose: Choose): void {
  const name = command.name() as 'start' | 'api' | 'worker';
  fillPlainCommand(
    command,
    {
      examples: [`rollcall ${name}`],
      run: async ({ env }) => {
        await (await import('./serve/serve.ts')).serve(name, env);
        return undefined;
      },
    },
    choose,
  );
}

export function fillMigrate(command: Command, choose: Choose): void {
  fillPlainCommand(
    command,
    {
      examples: ['rollcall migrate'],
      run: async ({ env }) => {
        await (await import('./serve/migrate-all.ts')).migrateAll(env);
        return 0;
      },
    },
    choose,
  );
}
