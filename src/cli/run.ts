import { CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { CommandError, UsageError } from './failures.ts';
import type { Chosen } from './add-command.ts';
import { createProgram } from './program.ts';
import type { Shell } from './shell.ts';
import { tellFailure } from './tell-failure.ts';
import { cleanLines } from './terminal-text.ts';

/** They go on when nobody reads what they say any more. */
const services = new Set(['start', 'api', 'worker', 'migrate']);

/** Gives what to end with; nothing if something was started that goes on. */
export async function runCommandLine(args: string[], shell: Shell): Promise<number | undefined> {
  if (!services.has(args[0] ?? '')) leaveWithReader(shell);
  try {
    const run = await choose(args);
    return run ? await run(shell) : exitCodes.done;
  } catch (error) {
    return tell(error, shell);
  }
}

/** Looks at what was typed, and does nothing yet. */
async function choose(typed: string[]): Promise<Chosen | undefined> {
  const args = typed.length === 0 ? ['help'] : typed.map(spellOut);
  let chosen: Chosen | undefined;
  const program = await createProgram(args, (run) => (chosen = run));
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    // Help was asked for, and has been printed.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return chosen;
}

const spellOut = (word: string, place: number) => (place === 0 && ['--version', '-v', '-V'].includes(word) ? 'version' : word);

function tell(error: unknown, { stderr }: Shell): number {
  if (error instanceof UsageError || error instanceof CommandError) {
    stderr.write(`${cleanLines(error.message)}\n`);
    return error instanceof UsageError ? exitCodes.mistyped : error.exitCode;
  }
  console.error(tellFailure(error));
  return exitCodes.failed;
}

/** Whoever reads our output may have had enough: `| head`. */
function leaveWithReader({ stdout }: Shell): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.done);
  });
}
