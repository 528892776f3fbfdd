import type { Command } from 'commander';
import { addCommand, type Choose } from './add-command.ts';
import { directoryArgument, idArgument, pageOptions } from './options.ts';

const id = '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11';
const replayId = '0197a3d4-8e11-7d27-9c3b-5f7a9b1d3e64';

export function addReplays(program: Command, choose: Choose): void {
  const group = program.command('replays').description('What is being sent again, and what was');
  const replayArgument = () => idArgument('replay', 'replay', '`rollcall replays list`');
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists the replays of a directory, the newest first',
      arguments: [directoryArgument()],
      options: pageOptions(),
      examples: [`rollcall replays list ${id}`],
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
      examples: [`rollcall replays show ${replayId}`],
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
      examples: [`rollcall replays cancel ${id} ${replayId}`],
      load: async () => (await import('./replays/cancel-replay.ts')).cancelReplay,
    },
    choose,
  );
}
