import type { Context } from '../add-command.ts';
import { printState } from './print-state.ts';

export async function showState({ args: [id], options, client, ask, print }: Context) {
  const state = await ask(client.deliveries.state(id!));
  return options.json ? print.json(state) : printState(print, state);
}
