import type { Context } from '../add-command.ts';

export async function showStats({ options, client, ask, print }: Context<{ products?: string }>) {
  const products = options.products?.split(',').flatMap((product) => product.trim() || []);
  const stats = await ask(products === undefined ? client.stats.get() : client.stats.ofProducts({ products }));
  if (options.json) return print.json(stats);
  return print.fields([['Directories', stats.dsync_connections]]);
}
