import type { Context } from '../add-command.ts';
import { printState } from './print-state.ts';

export async function resumeDelivery({ args: [id], options, client, ask, print }: Context<{ from?: 'backlog' | 'now' }>) {
  const state = await ask(client.deliveries.resume(id!, options.from === undefined ? {} : { from: options.from }));
  if (options.json) print.json(state);
  else printState(print, state);
  if (options.from === 'now' && state.backlog > 0)
    print.note(
      'Events are still pending: --from now skips them only while delivery is paused or disabled. Run `rollcall deliveries pause` first.',
    );
}
