import type { Context } from '../add-command.ts';
import { CommandError } from '../failures.ts';

export async function retryDelivery({ args: [directory, id], options, client, ask, print }: Context) {
  const delivery = await ask(client.deliveries.retry(directory!, id!)).catch((error: unknown) => {
    // The API names its own address; here there is a command for it.
    const isSettled = error instanceof CommandError && error.message.includes('…/replays');
    if (!isSettled) throw error;
    throw new CommandError(error.exitCode, `This delivery is settled. To send it again: rollcall replay ${directory} --delivery ${id}`);
  });
  if (options.json) return print.json(delivery);
  return print.line(`${delivery.id} is due now.`);
}
