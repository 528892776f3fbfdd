import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryArgument, idArgument, pageOptions } from './options.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const runId = '0197a3e1-40b7-7e93-8d25-1a3c5e7f9b86';

export function addSyncs(program: Command, choose: Choose): void {
  const group = program.command('syncs').description('Readings of directories of type google');
  const runArgument = () => idArgument('run', 'run', '`rollcall syncs list`');
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the readings of a directory, the newest first',
      arguments: [directoryArgument()],
      options: pageOptions(),
      examples: [`rollcall syncs list ${id}`],
      load: async () => (await import('./syncs/list-syncs.ts')).listSyncs,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a reading, and what could not be applied',
      arguments: [directoryArgument(), runArgument()],
      examples: [`rollcall syncs show ${id} ${runId}`],
      load: async () => (await import('./syncs/show-sync.ts')).showSync,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'cancel',
      summary: 'Ends a reading',
      arguments: [directoryArgument(), runArgument()],
      examples: [`rollcall syncs cancel ${id} ${runId}`],
      load: async () => (await import('./syncs/cancel-sync.ts')).cancelSync,
    },
    choose,
  );
}
