import { CommanderError } from 'commander';
import type { Run } from './command.ts';
import { CommandError, UsageError, describeError, exitCodes } from './errors.ts';
import { cleanLines } from './output/terminal-text.ts';
import { withTemporalPackages } from '../shared/temporal-packages.ts';
import { createProgram } from './program.ts';
import type { Shell } from './shell.ts';

/** These keep running after the reader of their output has left. */
const services = new Set(['start', 'api', 'worker', 'migrate']);

/** Resolves to the exit code, or to undefined if a service was started. */
export async function runCommandLine(args: string[], shell: Shell): Promise<number | undefined> {
  if (!services.has(args[0] ?? '')) exitWithReader(shell);
  try {
    const run = await selectCommand(args);
    return run ? await withTemporalPackages(() => run(shell)) : exitCodes.success;
  } catch (error) {
    return reportError(error, shell);
  }
}

/** Parses the line without running anything. */
async function selectCommand(typed: string[]): Promise<Run | undefined> {
  const args = typed.length === 0 ? ['help'] : typed.map(expandVersionFlag);
  let selected: Run | undefined;
  const program = await createProgram(args, (run) => (selected = run));
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    // --help has printed the help.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return selected;
}

const expandVersionFlag = (word: string, index: number) => (index === 0 && ['--version', '-v', '-V'].includes(word) ? 'version' : word);

function reportError(error: unknown, { stderr }: Shell): number {
  if (error instanceof UsageError || error instanceof CommandError) {
    stderr.write(`${cleanLines(error.message)}\n`);
    return error instanceof UsageError ? exitCodes.usage : error.exitCode;
  }
  console.error(describeError(error));
  return exitCodes.failed;
}

/** The reader may close the pipe early: `| head`. */
function exitWithReader({ stdout }: Shell): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.success);
  });
}
