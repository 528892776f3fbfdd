import type { Context } from '../add-command.ts';
import { printReplay } from './print-replay.ts';

export async function cancelReplay({ args: [directory, id], options, client, ask, print }: Context) {
  const replay = await ask(client.replays.cancel(directory!, id!));
  return options.json ? print.json(replay) : printReplay(print, replay);
}
