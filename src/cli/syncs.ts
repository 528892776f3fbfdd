import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryArgument, idArgument, pageOptions } from './options.ts';
import { examples } from './example-ids.ts';

const runArgument = () => idArgument('run', 'run', '`rollcall syncs list`');

export function fillSyncs(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the readings of a directory, the newest first',
      arguments: [directoryArgument()],
      options: pageOptions(),
      examples: [`rollcall syncs list ${examples.directory}`],
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
      examples: [`rollcall syncs show ${examples.directory} ${examples.run}`],
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
      examples: [`rollcall syncs cancel ${examples.directory} ${examples.run}`],
      load: async () => (await import('./syncs/cancel-sync.ts')).cancelSync,
    },
    choose,
  );
}
