import type { Context } from '../add-command.ts';

export async function retryDelivery({ args: [directory, id], options, client, ask, print }: Context) {
  const delivery = await ask(client.deliveries.retry(directory!, id!));
  if (options.json) return print.json(delivery);
  return print.line(`${delivery.id} is due now.`);
}
