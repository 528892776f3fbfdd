import { createInterface } from 'node:readline/promises';
import { CommandError, exitCodes } from './errors.ts';
import { cleanText } from './output/terminal-text.ts';
import type { Shell } from './shell.ts';

/** Asks before something that cannot be undone. `unchanged` says what did not happen. */
export async function confirm(question: string, unchanged: string, { stdin, stderr }: Shell): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandError(exitCodes.confirmationRequired, `${question} Not a terminal; pass --yes to confirm. ${unchanged}`);
  const terminal = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const reply = await Promise.race([terminal.question(`${cleanText(question)} This cannot be undone. Type yes to confirm: `), closed]);
  terminal.close();
  if (reply.trim().toLowerCase() !== 'yes') throw new CommandError(exitCodes.confirmationRequired, unchanged);
}
