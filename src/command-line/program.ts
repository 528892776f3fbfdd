import { Command } from 'commander';
import type { Choose } from './add-command.ts';
import { addCompletion } from './completion.ts';
import { addDeliveries } from './deliveries.ts';
import { addDirectories } from './directories.ts';
import { addDoctor } from './doctor.ts';
import { addEvents } from './events.ts';
import { explainUsage } from './explain-usage.ts';
import { addGroups } from './groups.ts';
import { addHelp } from './help.ts';
import { addReplay } from './replay.ts';
import { addReplays } from './replays.ts';
import { addServe } from './serve.ts';
import { addStats } from './stats.ts';
import { addSync } from './sync.ts';
import { addSyncs } from './syncs.ts';
import { addUsers } from './users.ts';

const example = 'rollcall directories list --tenant acme --product crm';

const settings = `
Settings of the service are environment variables, also read from a file .env in the working folder; .env.example explains each.
The other commands ask a service: the one that is run from this folder, or the one at --url or ROLLCALL_URL.`;

/** Every command there is. What was typed chooses one; nothing is run before all of it was understood. */
export function createProgram(choose: Choose): Command {
  const program = new Command('rollcall').helpCommand(false).configureOutput({
    writeErr: () => undefined,
    outputError: () => undefined,
  });
  program.exitOverride((error) => explainUsage(program, error, example)).addHelpText('after', settings);
  const groups: [heading: string, add: ((program: Command, choose: Choose) => void)[]][] = [
    ['The service:', [addServe]],
    ['What is in it:', [addDirectories, addUsers, addGroups]],
    ['What happens:', [addEvents, addDeliveries, addReplay, addReplays, addSync, addSyncs, addStats]],
    ['Help:', [addDoctor, addCompletion, addHelp]],
  ];
  for (const [heading, additions] of groups) {
    program.commandsGroup(heading);
    for (const add of additions) add(program, choose);
  }
  for (const group of program.commands)
    if (group.commands.length > 0) group.exitOverride((error) => explainUsage(group, error, `rollcall help ${group.name()}`));
  return program;
}
