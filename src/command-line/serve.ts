import type { Command } from 'commander';
import { addPlainCommand, type Choose } from './add-command.ts';

/** The service itself. Its commands take no options: its settings are variables. */
export function addServe(program: Command, choose: Choose): void {
  const commands = {
    start: 'Everything in one: API, workers and, where no address is given, Postgres and Temporal of its own',
    api: 'The API, against DATABASE_URL and TEMPORAL_ADDRESS',
    worker: 'The webhook deliveries, against the same',
  } as const;
  for (const [name, summary] of Object.entries(commands) as [keyof typeof commands, string][])
    addPlainCommand(
      program,
      {
        name,
        summary,
        examples: [`rollcall ${name}`],
        run: async ({ env }) => (await import('./serve/serve.ts')).serve(name, env).then(() => undefined),
      },
      choose,
    );
  addPlainCommand(
    program,
    {
      name: 'migrate',
      summary: 'Brings the database at DATABASE_URL up to date, and the namespace at TEMPORAL_ADDRESS if given',
      examples: ['rollcall migrate'],
      run: async ({ env }) => (await import('./serve/migrate-all.ts')).migrateAll(env).then(() => 0),
    },
    choose,
  );
}
