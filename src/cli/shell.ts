import { existsSync } from 'node:fs';
import { CommandError, exitCodes } from './errors.ts';

/** The environment that the command line was called from. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Reads `.env` into the environment; variables that are already set win. */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    throw new CommandError(
      exitCodes.failed,
      `Cannot read .env (${(error as NodeJS.ErrnoException).code}). Make it readable, or move it elsewhere.`,
    );
  }
}

/** Columns per line: COLUMNS, else the width of the terminal. Piped output is not cut. */
export function widthOf({ env, stdout }: Pick<Shell, 'env' | 'stdout'>): number {
  const columns = Number(env['COLUMNS']);
  if (Number.isInteger(columns) && columns > 0) return columns;
  return stdout.isTTY ? stdout.columns || 80 : Infinity;
}

/** https://no-color.org */
export const hasColor = (env: NodeJS.ProcessEnv, stream: { isTTY?: boolean }): boolean =>
  stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
