import { readConfig, type Config } from '../../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failures.ts';
import { readSettings } from '../read-settings.ts';

/** Only the embedded Postgres is ours to copy. */
export function readEmbeddedConfig(env: NodeJS.ProcessEnv, tool: 'pg_dump' | 'pg_restore'): Config {
  readSettings();
  const config = readConfig(env, 'start');
  if (config.database.url !== undefined)
    throw new CommandError(
      exitCodes.failed,
      `DATABASE_URL is set, and this command is for the Postgres of the data folder only: use \`${tool}\`, as docs/operate/back-up.md shows.`,
    );
  return config;
}
