import type { Context } from '../add-command.ts';
import { printDirectory, printHealth } from './print-directory.ts';

export async function showDirectory({ args: [id], options, client, ask, print }: Context<{ showSecrets?: boolean }>) {
  const directory = await ask(client.directories.get(id!));
  if (options.json) return print.json(directory);
  printDirectory(print, directory, { showSecrets: options.showSecrets === true });
  return printHealth(print, directory);
}
