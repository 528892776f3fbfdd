import { Command } from 'commander';
import type { Choose } from './add-command.ts';
import { explainUsage } from './explain-usage.ts';
import { keepExamples } from './fitting-example.ts';
import { helpFormat } from './help-format.ts';

type Fill = (command: Command, choose: Choose) => void;

interface Entry {
  summary: string;
  load: () => Promise<Fill>;
}

const serve = async () => (await import('./serve.ts')).fillServe;

const service: Record<string, Entry> = {
  start: { summary: 'Everything in one: API, workers and, where no address is given, Postgres and Temporal of its own', load: serve },
  api: { summary: 'The API, against DATABASE_URL and TEMPORAL_ADDRESS', load: serve },
  worker: { summary: 'The webhook deliveries, against the same', load: serve },
  migrate: {
    summary: 'Brings the database at DATABASE_URL up to date, and the namespace at TEMPORAL_ADDRESS if given',
    load: async () => (await import('./serve.ts')).fillMigrate,
  },
};

const keeping: Record<string, Entry> = {
  keys: {
    summary: 'The keys that secrets are encrypted with, and how to change them',
    load: async () => (await import('./keys.ts')).registerKeys,
  },
  backup: {
    summary: 'Writes the database of the data folder to a file, also while the service runs',
    load: async () => (await import('./backup.ts')).registerBackup,
  },
  restore: {
    summary: 'Fills an empty data folder from such a file',
    load: async () => (await import('./backup.ts')).registerRestore,
  },
};

const content: Record<string, Entry> = {
  directories: {
    summary: 'The connections of customers to their identity providers',
    load: async () => (await import('./directories.ts')).fillDirectories,
  },
  users: { summary: 'Users, as the providers pushed them', load: async () => (await import('./users.ts')).fillUsers },
  groups: { summary: 'Groups, and who is in them', load: async () => (await import('./groups.ts')).fillGroups },
};

const happenings: Record<string, Entry> = {
  events: { summary: 'What changed, in its order, also as it happens', load: async () => (await import('./events.ts')).fillEvents },
  deliveries: {
    summary: 'Webhooks: what was sent, what was answered, and how the delivery stands',
    load: async () => (await import('./deliveries.ts')).fillDeliveries,
  },
  replay: { summary: 'Sends events again', load: async () => (await import('./replay.ts')).fillReplay },
  replays: { summary: 'What is being sent again, and what was', load: async () => (await import('./replays.ts')).fillReplays },
  sync: { summary: 'Reads a directory of type google now', load: async () => (await import('./sync.ts')).fillSync },
  syncs: { summary: 'How directories of type google were read', load: async () => (await import('./syncs.ts')).fillSyncs },
  stats: { summary: 'Counts directories', load: async () => (await import('./stats.ts')).fillStats },
};

const help: Record<string, Entry> = {
  doctor: {
    summary: 'Checks configuration, database, Temporal, service, clocks and webhooks, and says what to do',
    load: async () => (await import('./doctor.ts')).fillDoctor,
  },
  completion: {
    summary: 'A script that completes commands and options in bash, zsh or fish',
    load: async () => (await import('./completion.ts')).fillCompletion,
  },
  help: { summary: 'This text, that of a command, or what the exit codes mean', load: async () => (await import('./help.ts')).fillHelp },
  version: { summary: 'The version of this program', load: async () => (await import('./help.ts')).fillVersion },
};

const groups = {
  'The service:': service,
  'Keys and backups:': keeping,
  'What is in it:': content,
  'What happens:': happenings,
  'Help:': help,
};

const settings = `
Settings of the service are environment variables, also read from a file .env in the working folder; .env.example explains each.
The other commands ask a service: the one that is run from this folder, or the one at --url or ROLLCALL_URL.

\`rollcall help <command>\` says more of each, \`rollcall help exit-codes\` what a script may rely on.`;

/** The commands; what belongs to one is loaded only if it was typed. Nothing is run before all of it was understood. */
export async function createProgram(typed: string[], choose: Choose): Promise<Command> {
  const program = new Command('rollcall')
    .helpCommand(false)
    .usage('<command> [options]')
    .configureHelp(helpFormat)
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined });
  program.exitOverride((error) => explainUsage(program, error)).addHelpText('after', settings);
  const wantsAll = typed.includes('completion');
  for (const [heading, entries] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const [name, { summary, load }] of Object.entries(entries)) {
      const command = program.command(name).description(summary);
      if (!wantsAll && !typed.includes(name)) continue;
      (await load())(command, choose);
      if (command.commands.length > 0) {
        keepExamples(command, [`rollcall help ${name}`]);
        command.exitOverride((error) => explainUsage(command, error));
      }
    }
  }
  return program;
}
