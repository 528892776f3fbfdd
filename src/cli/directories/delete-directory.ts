import { createInterface } from 'node:readline/promises';
import type { Context } from '../add-command.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandError } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { cleanText } from '../terminal-text.ts';

export async function deleteDirectory({ args: [id], options, shell, client, ask, print }: Context<{ yes?: boolean }>) {
  if (!options.yes) {
    const { name, tenant, product, health } = await ask(client.directories.get(id!));
    const what = `${name} (${tenant}/${product}, ${health.users} users, ${health.groups} groups)`;
    await confirm(`Delete ${what} for good?`, shell);
  }
  const answer = await ask(client.directories.delete(id!));
  if (options.json) print.json(answer);
  else print.line(`The directory ${id} is deleted; its data is being taken away.`);
}

async function confirm(question: string, { stdin, stderr }: Shell): Promise<void> {
  if (!stdin.isTTY || !stderr.isTTY)
    throw new CommandError(exitCodes.wantsConfirmation, `${question} Nobody can be asked here: say so with --yes. Nothing was deleted.`);
  const asking = createInterface({ input: stdin, output: stderr });
  const closed = new Promise<string>((resolve) => asking.once('close', () => resolve('')));
  const answer = await Promise.race([asking.question(`${cleanText(question)} Type yes: `), closed]);
  asking.close();
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError(exitCodes.wantsConfirmation, 'Nothing was deleted.');
}
