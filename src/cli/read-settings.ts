import { existsSync } from 'node:fs';
import { exitCodes } from './exit-codes.ts';
import { CommandError } from './failures.ts';

/** What is set in the environment goes before what the file says. */
export function readSettings(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    throw new CommandError(
      exitCodes.failed,
      `The file .env can't be read (${(error as NodeJS.ErrnoException).code}): make it readable, or move it away.`,
    );
  }
}
