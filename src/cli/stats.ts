import { Option, type Command } from 'commander';
import { fillCommand, type Choose } from './add-command.ts';

export function fillStats(command: Command, choose: Choose): void {
  fillCommand(
    command,
    {
      options: [new Option('--products <products>', 'only of these products, by comma')],
      examples: ['rollcall stats', 'rollcall stats --products crm,billing'],
      load: async () => (await import('./stats/show-stats.ts')).showStats,
    },
    choose,
  );
}
