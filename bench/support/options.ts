import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartupError } from '../../src/errors.ts';

export type Side = 'rollcall' | 'polis' | 'before';
const providers = ['entra', 'csv'] as const;
export type Provider = (typeof providers)[number];
export type Operation = 'create' | 'update';

export interface Options {
  /** The duration of a slice of load. */
  seconds: number;
  rounds: number;
  /** Each benchmark has its own default. */
  writers?: number[];
  /** Each benchmark has its own default. */
  directories?: number[];
  operations: Operation[];
  providers: readonly Provider[];
  /** The sizes of a large directory and of a large group. */
  users: number;
  members: number;
  events: number;
  /** Per kind of request. */
  requests: number;
  sides: Side[];
  /** Another built checkout of Rollcall to compare with. */
  before: string | undefined;
  /** A folder with `temporal-server` and `temporal-sql-tool`. */
  temporalServer: string | undefined;
  jsonFile: string | undefined;
}

const defaults = { seconds: '3', rounds: '3', users: '200000', members: '50000', events: '400000', requests: '200' };

export const optionLines = [
  `--seconds ${defaults.seconds}           seconds per slice of load: \`intake\`, \`limits\`, \`memory\`, \`scale\``,
  `--rounds ${defaults.rounds}            slices per side and row; processes for \`bulk\`, starts for \`start\`, unchanged syncs for \`sync\``,
  '--writers 1,8,32,64   concurrent writers: `intake`; default for `members`: 1,32',
  '--directories 1,32    directories to write to: `intake`; the largest number counts, default 32: `large`, `temporal`, `scale`;',
  '                      default 500: `cold`, 1000: `trickle`',
  '--operation create    only create or only update: `intake`',
  '--provider entra      only entra or only csv: `hosted`',
  `--users ${defaults.users}        users in a large directory: \`lookup\`, \`paging\`, \`snapshot\`, \`attributes\`; in all: \`large\`; at most 100000 for \`sync\`, \`hosted\`, \`import\``,
  `--events ${defaults.events}       events of eight days: \`large\``,
  `--members ${defaults.members}       members of a large group: \`members\``,
  `--requests ${defaults.requests}        requests per kind: \`members\`, \`lookup\`, \`paging\`, \`large\`; 20 times as many for \`limits\`, 5 times for \`directories\``,
  '--only rollcall       only one side, rollcall or polis: `intake`, `members`, `sync`',
  '--before FOLDER       compare with another built checkout of Rollcall instead of Polis: `intake`, `library`, `directories`',
  '--temporal-server DIR run on `temporal-server` and its own Postgres instead of the development server: `scale`',
  '--json FILE           also write the raw figures and the targets to a file',
];

/** Returns the largest number that was passed. */
export const maxDirectories = ({ directories }: Options, defaultCount: number): number => Math.max(...(directories ?? [defaultCount]));

interface Command {
  name: string | undefined;
  options: Options;
  /** For `all`: the benchmarks, and the arguments that each of them gets. */
  names: string[];
  shared: string[];
}

export function readOptions(args: string[]): Command {
  const { values, positionals, tokens } = parse(args);
  const only = readChoice('--only', values.only, ['rollcall', 'polis'] as const);
  const operation = readChoice('--operation', values.operation, ['create', 'update'] as const);
  const provider = readChoice('--provider', values.provider, providers);
  return {
    name: values.help ? undefined : positionals[0],
    names: positionals.slice(1),
    shared: args.filter((_, index) => !tokens.some((token) => token.kind === 'positional' && token.index === index)),
    options: {
      seconds: readNumber('--seconds', values.seconds),
      rounds: readCount('--rounds', values.rounds),
      ...(values.writers !== undefined && { writers: readCounts('--writers', values.writers) }),
      ...(values.directories !== undefined && { directories: readCounts('--directories', values.directories) }),
      operations: operation ? [operation] : ['create', 'update'],
      providers: provider ? [provider] : providers,
      users: readCount('--users', values.users),
      members: readCount('--members', values.members),
      events: readCount('--events', values.events),
      requests: readCount('--requests', values.requests),
      sides: only ? [only] : ['rollcall', values.before === undefined ? 'polis' : 'before'],
      before: values.before === undefined ? undefined : resolve(values.before),
      temporalServer: values['temporal-server'] === undefined ? undefined : resolve(values['temporal-server']),
      jsonFile: values.json === undefined ? undefined : resolve(values.json),
    },
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      tokens: true,
      options: {
        seconds: { type: 'string', default: defaults.seconds },
        rounds: { type: 'string', default: defaults.rounds },
        writers: { type: 'string' },
        directories: { type: 'string' },
        operation: { type: 'string' },
        provider: { type: 'string' },
        users: { type: 'string', default: defaults.users },
        members: { type: 'string', default: defaults.members },
        events: { type: 'string', default: defaults.events },
        requests: { type: 'string', default: defaults.requests },
        only: { type: 'string' },
        before: { type: 'string' },
        'temporal-server': { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    // The second sentence of Node's message is about positional arguments, which does not help here.
    throw new StartupError(`${(error as Error).message.split('. ')[0]}. Run \`npm run bench\` to list the options.`);
  }
}

function readChoice<Choice extends string>(name: string, text: string | undefined, choices: readonly Choice[]): Choice | undefined {
  const chosen = choices.find((choice) => choice === text);
  if (text !== undefined && !chosen) throw new StartupError(`${name} must be ${choices.join(' or ')}.`);
  return chosen;
}

function readNumber(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new StartupError(`${name} must be a number above 0.`);
  return value;
}

const readCount = (name: string, text: string) => Math.ceil(readNumber(name, text));

function readCounts(name: string, text: string): number[] {
  const counts = text.split(',').map(Number);
  if (!counts.every((count) => Number.isInteger(count) && count > 0))
    throw new StartupError(`${name} must be comma-separated whole numbers, like 1,8.`);
  return counts;
}
