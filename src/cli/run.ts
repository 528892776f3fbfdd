import { CommanderError, Command, type HelpConfiguration } from 'commander';
import type { Run, Select } from './command.ts';
import { CommandError, UsageError, describeError, exitCodes } from './errors.ts';
import { cleanLines } from './output/terminal-text.ts';
import { withTemporalPackages } from '../shared/temporal-packages.ts';
import type { Shell } from './shell.ts';
import { globalOptions, setExamples } from './options.ts';
import { toUsageError } from './usage-errors.ts';

/** These keep running after the reader of their output has left. */
const services = new Set(['start', 'api', 'worker', 'migrate']);

/** Resolves to the exit code, or to undefined if a service was started. */
export async function runCommandLine(args: string[], shell: Shell): Promise<number | undefined> {
  if (!services.has(args[0] ?? '')) exitWithReader(shell);
  try {
    const run = await selectCommand(args);
    return run ? await withTemporalPackages(() => run(shell)) : exitCodes.success;
  } catch (error) {
    return reportError(error, shell);
  }
}

/** Parses the line without running anything. */
async function selectCommand(typed: string[]): Promise<Run | undefined> {
  const args = typed.length === 0 ? ['help'] : typed.map(expandVersionFlag);
  let selected: Run | undefined;
  const program = await createProgram(args, (run) => (selected = run));
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    // --help has printed the help.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return selected;
}

const expandVersionFlag = (word: string, index: number) => (index === 0 && ['--version', '-v', '-V'].includes(word) ? 'version' : word);

function reportError(error: unknown, { stderr }: Shell): number {
  if (error instanceof UsageError || error instanceof CommandError) {
    stderr.write(`${cleanLines(error.message)}\n`);
    return error instanceof UsageError ? exitCodes.usage : error.exitCode;
  }
  console.error(describeError(error));
  return exitCodes.failed;
}

/** The reader may close the pipe early: `| head`. */
function exitWithReader({ stdout }: Shell): void {
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(exitCodes.success);
  });
}

type Register = (command: Command, select: Select) => void;

interface Entry {
  summary: string;
  load: () => Promise<Register>;
}

const registerService = async () => (await import('./service.ts')).registerService;

const service: Record<string, Entry> = {
  start: { summary: 'Run everything in one process, with an embedded Postgres and Temporal unless configured', load: registerService },
  api: { summary: 'Run the API server against DATABASE_URL and TEMPORAL_ADDRESS', load: registerService },
  worker: { summary: 'Run the workers for changes, webhook deliveries and syncs', load: registerService },
  migrate: {
    summary: 'Migrate the database at DATABASE_URL, and the namespace at TEMPORAL_ADDRESS if set',
    load: async () => (await import('./service.ts')).registerMigrate,
  },
};

const development: Record<string, Entry> = {
  listen: {
    summary: 'Receive webhooks on this machine, verify them, and forward them to your application',
    load: async () => (await import('./listen.ts')).registerListen,
  },
  simulate: {
    summary: 'Push users and groups as Okta or Entra ID do',
    load: async () => (await import('./simulate.ts')).registerSimulate,
  },
};

const maintenance: Record<string, Entry> = {
  import: { summary: 'Import from Ory Polis (BoxyHQ Jackson)', load: async () => (await import('./import.ts')).registerImport },
  keys: { summary: 'Manage encryption keys', load: async () => (await import('./maintenance.ts')).registerKeys },
  backup: {
    summary: 'Back up the database in the data folder to a file, even while the service runs',
    load: async () => (await import('./maintenance.ts')).registerBackup,
  },
  restore: {
    summary: 'Restore a backup into an empty data folder',
    load: async () => (await import('./maintenance.ts')).registerRestore,
  },
};

const resources: Record<string, Entry> = {
  directories: {
    summary: 'Manage directories: the connections to identity providers',
    load: async () => (await import('./directories.ts')).registerDirectories,
  },
  'api-keys': {
    summary: 'Create, list, rotate and revoke API keys',
    load: async () => (await import('./api-keys.ts')).registerApiKeys,
  },
  console: {
    summary: 'Sign in with a browser, or sign everyone out',
    load: async () => (await import('./console.ts')).registerConsole,
  },
  'scim-clients': {
    summary: 'Create, list and revoke OAuth clients for identity providers',
    load: async () => (await import('./scim-clients.ts')).registerScimClients,
  },
  'upload-tokens': {
    summary: 'Create, list and revoke tokens with which jobs upload files',
    load: async () => (await import('./upload-tokens.ts')).registerUploadTokens,
  },
  'setup-links': {
    summary: "Create, list and revoke links with which customers' administrators set up directories",
    load: async () => (await import('./setup-links.ts')).registerSetupLinks,
  },
  mapping: {
    summary: 'Show, change and preview where the custom attributes of users come from',
    load: async () => (await import('./mapping.ts')).registerMapping,
  },
  roles: {
    summary: 'Show, change and preview which roles follow from groups',
    load: async () => (await import('./roles.ts')).registerRoles,
  },
  users: { summary: 'Look up users', load: async () => (await import('./users-and-groups.ts')).registerUsers },
  groups: { summary: 'Look up groups and their members', load: async () => (await import('./users-and-groups.ts')).registerGroups },
  export: {
    summary: 'Write all users, groups and memberships of a directory, as JSON Lines',
    load: async () => (await import('./export.ts')).registerExport,
  },
};

const activity: Record<string, Entry> = {
  events: { summary: 'List events, or follow them live', load: async () => (await import('./events.ts')).registerEvents },
  deliveries: {
    summary: 'Inspect, retry, pause and test webhook deliveries',
    load: async () => (await import('./deliveries.ts')).registerDeliveries,
  },
  replay: { summary: 'Resend events', load: async () => (await import('./replays.ts')).registerReplay },
  replays: { summary: 'List, show and cancel replays', load: async () => (await import('./replays.ts')).registerReplays },
  sync: { summary: 'Sync a pulled directory now, or upload its files', load: async () => (await import('./syncs.ts')).registerSync },
  syncs: { summary: 'List, show and cancel sync runs', load: async () => (await import('./syncs.ts')).registerSyncs },
  audit: {
    summary: 'List, follow, export and verify the audit log',
    load: async () => (await import('./audit.ts')).registerAudit,
  },
  overview: {
    summary: 'Show the directories that need attention, directories by health, and undelivered events',
    load: async () => (await import('./overview.ts')).registerOverview,
  },
  stats: { summary: 'Count directories', load: async () => (await import('./stats.ts')).registerStats },
};

const help: Record<string, Entry> = {
  doctor: {
    summary: 'Check the configuration, database, Temporal, service, clocks, directories and webhooks',
    load: async () => (await import('./maintenance.ts')).registerDoctor,
  },
  completion: {
    summary: 'Print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).registerCompletion,
  },
  help: { summary: 'Show help for a command, or the exit codes', load: async () => (await import('./help.ts')).registerHelp },
  version: { summary: 'Print the version', load: async () => (await import('./help.ts')).registerVersion },
};

const sections = {
  'Service:': service,
  'Development:': development,
  'Maintenance:': maintenance,
  'Resources:': resources,
  'Activity:': activity,
  'Help:': help,
};

const footer = `
Settings are environment variables, also read from .env in the working folder; .env.example documents each.
Commands under Development, Resources and Activity call the service that runs from this folder, or the one at --url or ROLLCALL_URL.

Run \`rollcall help <command>\` for details, and \`rollcall help exit-codes\` for scripting.`;

const helpFormat: HelpConfiguration = {
  // The longest options leave 37 of 80 columns.
  minWidthToWrap: 30,
  subcommandTerm: (command) => command.name(),
  optionDescription: ({ description, argChoices, mandatory, flags }) => {
    const values = argChoices !== undefined && !flags.includes('|') ? `: ${argChoices.join(', ')}` : '';
    return `${description}${values}${mandatory ? ' (required)' : ''}`;
  },
};

/** All commands. Only the code of those that were typed is loaded, and nothing runs before the whole line is parsed. */
export async function createProgram(typed: string[], select: Select): Promise<Command> {
  const program = new Command('rollcall')
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .usage('<command> [options]')
    .configureHelp(helpFormat)
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .exitOverride((error) => toUsageError(program, error))
    .addHelpText('after', footer);
  acceptGlobalOptions(program);
  const loadsAll = typed.includes('completion');
  for (const [heading, entries] of Object.entries(sections)) {
    program.commandsGroup(heading);
    for (const [name, { summary, load }] of Object.entries(entries)) {
      const command = program.command(name).description(summary);
      if (!loadsAll && !typed.includes(name)) continue;
      (await load())(command, select);
      if (command.commands.length === 0) continue;
      // `sync` has a command of its own beside `sync files`, with its own options and examples.
      if (command.registeredArguments.length > 0) {
        command.enablePositionalOptions();
        continue;
      }
      command.helpCommand('help [command]', 'Show help for a command');
      setExamples(command, [`rollcall help ${name}`]);
      command.exitOverride((error) => toUsageError(command, error));
      acceptGlobalOptions(command, { hidden: true });
    }
  }
  return program;
}

/** Before a subcommand only; after it, they are options of the subcommand. */
function acceptGlobalOptions(command: Command, { hidden = false } = {}): void {
  command.enablePositionalOptions();
  for (const option of globalOptions()) command.addOption(option.hideHelp(hidden));
}
