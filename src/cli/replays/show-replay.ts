import type { Context } from '../add-command.ts';
import { printReplay } from './print-replay.ts';

export async function showReplay({ args: [id], options, client, ask, print }: Context) {
  const replay = await ask(client.replays.find(id!));
  return options.json ? print.json(replay) : printReplay(print, replay);
}
