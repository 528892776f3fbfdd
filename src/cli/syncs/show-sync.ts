import type { Context } from '../add-command.ts';
import { printRun } from './print-run.ts';

export async function showSync({ args: [directory, id], options, client, ask, print }: Context) {
  const run = await ask(client.syncs.get(directory!, id!));
  return options.json ? print.json(run) : printRun(print, run);
}
