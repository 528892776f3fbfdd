import { Option, type Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';

export function addStats(program: Command, choose: Choose): void {
  addCommand(
    program,
    {
      name: 'stats',
      summary: 'Counts directories',
      options: [new Option('--products <products>', 'only of these products, by comma')],
      examples: ['rollcall stats', 'rollcall stats --products crm,billing'],
      load: async () => (await import('./stats/show-stats.ts')).showStats,
    },
    choose,
  );
}
