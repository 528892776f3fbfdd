import type { Command } from 'commander';
import { registerPlainCommand, type Select } from './command.ts';
import { exitCodes } from './errors.ts';

/** `start`, `api` and `worker`. They take no options: their settings are environment variables. */
export function registerService(command: Command, select: Select): void {
  const name = command.name() as 'start' | 'api' | 'worker';
  registerPlainCommand(
    command,
    {
      examples: [`rollcall ${name}`],
      run: async ({ env }) => {
        await (await import('./service/run-service.ts')).runService(name, env);
        return undefined;
      },
    },
    select,
  );
}

export function registerMigrate(command: Command, select: Select): void {
  registerPlainCommand(
    command,
    {
      examples: ['rollcall migrate'],
      run: async ({ env }) => {
        await (await import('./service/migrate.ts')).migrateServers(env);
        return exitCodes.success;
      },
    },
    select,
  );
}
