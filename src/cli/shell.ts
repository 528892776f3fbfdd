/** What the command line knows of the place that it was called from. */
export interface Shell {
  env: NodeJS.ProcessEnv;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Columns that a line may have: as COLUMNS says, else as the terminal has; what is piped is not cut. */
export function widthOf({ env, stdout }: Pick<Shell, 'env' | 'stdout'>): number {
  const told = Number(env['COLUMNS']);
  if (Number.isInteger(told) && told > 0) return told;
  return stdout.isTTY ? stdout.columns || 80 : Infinity;
}

/** https://no-color.org */
export const hasColor = (env: NodeJS.ProcessEnv, stream: { isTTY?: boolean }): boolean =>
  stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
