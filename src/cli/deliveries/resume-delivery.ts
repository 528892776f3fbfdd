import type { Context } from '../add-command.ts';
import { printState } from './print-state.ts';

export async function resumeDelivery({ args: [id], options, client, ask, print }: Context<{ from?: 'backlog' | 'now' }>) {
  const state = await ask(client.deliveries.resume(id!, options.from === undefined ? {} : { from: options.from }));
  if (options.json) print.json(state);
  else printState(print, state);
}
