import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryArgument, idArgument, pageOptions } from './options.ts';
import { examples } from './example-ids.ts';

const replayArgument = () => idArgument('replay', 'replay', '`rollcall replays list`');

export function fillReplays(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the replays of a directory, the newest first',
      arguments: [directoryArgument()],
      options: pageOptions(),
      examples: [`rollcall replays list ${examples.directory}`],
      load: async () => (await import('./replays/list-replays.ts')).listReplays,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a replay',
      arguments: [replayArgument()],
      examples: [`rollcall replays show ${examples.replay}`],
      load: async () => (await import('./replays/show-replay.ts')).showReplay,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'cancel',
      summary: 'Ends a replay',
      arguments: [directoryArgument(), replayArgument()],
      examples: [`rollcall replays cancel ${examples.directory} ${examples.replay}`],
      load: async () => (await import('./replays/cancel-replay.ts')).cancelReplay,
    },
    choose,
  );
}
