import type { Context } from '../add-command.ts';
import { printState } from './print-state.ts';

export async function pauseDelivery({ args: [id], options, client, ask, print }: Context) {
  const state = await ask(client.deliveries.pause(id!));
  if (options.json) return print.json(state);
  printState(print, state);
  return state.settled ? undefined : print.note('It is paused; one request that was under way may still arrive.');
}
