import { Option, type Command } from 'commander';
import { registerCommand, type Select } from './command.ts';
import type { Context } from './connection.ts';

export function registerStats(command: Command, select: Select): void {
  registerCommand(
    command,
    {
      options: [new Option('--products <products>', 'count only these products, comma-separated')],
      examples: ['rollcall stats', 'rollcall stats --products crm,billing'],
      action: showStats,
    },
    select,
  );
}

async function showStats({ options, client, unwrap, print }: Context<{ products?: string }>): Promise<void> {
  const products = options.products?.split(',').flatMap((product) => product.trim() || []);
  const stats = await unwrap(products === undefined ? client.stats.get() : client.stats.ofProducts({ products }));
  if (options.json) return print.json(stats);
  return print.fields([['Directories', stats.dsync_connections]]);
}
