import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { isFormerDirectoryId } from '../directory/directories/former-ids.ts';
import { isId } from '../ids.ts';
import { unitMs } from '../shared/parse-duration.ts';
import { findClosest, suggest } from '../shared/suggest.ts';

const connection = 'Connection:';
const output = 'Output:';

export const jsonOption = () => new Option('--json', 'print JSON').helpGroup(output);
export const wideOption = () => new Option('--wide', 'show all columns without cutting values').helpGroup(output);
export const connectionOptions = (): Option[] => [
  jsonOption(),
  withSample(
    'http://127.0.0.1:5225',
    new Option('--url <url>', 'URL of the service (default: ROLLCALL_URL, .env, or the service running in this folder)'),
  ).helpGroup(connection),
  withSample('rollcall_…', new Option('--api-key <key>', 'API key (default: ROLLCALL_API_KEY, .env, or .rollcall/api-key)')).helpGroup(
    connection,
  ),
  withSample(
    '.rollcall/api-key',
    fileOption('--api-key-file <file>', 'file with the API key; unlike --api-key, hidden from other users of this machine'),
  ).helpGroup(connection),
];
/** These may also come before the command. */
export const globalOptions = (): Option[] => [wideOption(), ...connectionOptions()];

const fileOptions = new WeakSet<Option>();
/** An option whose value shell completion completes as a file name. */
export function fileOption(flags: string, description: string): Option {
  const option = new Option(flags, description);
  fileOptions.add(option);
  return option;
}
export const takesFile = (option: Option): boolean => fileOptions.has(option);

export function enumOption(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, description).choices(values).argParser((typed: string) => parseEnum(typed, values));
  return withSample(values[0]!, option);
}

/** A comma-separated list. */
export function enumListOption(flags: string, description: string, values: readonly string[]): Option {
  const parse = (typed: string) =>
    typed
      .split(',')
      .map((value) => parseEnum(value.trim(), values))
      .join(',');
  return withSample(values[0]!, new Option(flags, description).choices(values).argParser(parse));
}

/** In the messages of parsers, {} stands for the typed value. */
export function parseEnum(typed: string, values: readonly string[]): string {
  if (values.includes(typed)) return typed;
  throw new InvalidArgumentError(`must be one of ${values.join(', ')}, not "${typed}".${suggest(findClosest(typed, values))}`);
}

const booleans = ['true', 'false'];
export const booleanOption = (flags: string, description: string): Option =>
  withSample(
    'true',
    new Option(flags, description).choices(booleans).argParser((typed: string) => parseEnum(typed, booleans) === 'true'),
  );

interface Bounds {
  min?: number;
  max?: number;
}

export function integerOption(flags: string, description: string, { min = 0, max = Number.MAX_SAFE_INTEGER }: Bounds = {}): Option {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  const option = new Option(flags, description).argParser((typed: string) => {
    const number = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(number >= min && number <= max)) throw new InvalidArgumentError(`must be a whole number ${range}, not {}.`);
    return number;
  });
  return withSample(String(Math.max(min, Math.min(max, 50))), option);
}

const zonedTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

interface TimeOptions {
  sample?: string;
  now?: () => number;
}

/** A time, or a duration before now; parsed to an ISO string. */
export function timeOption(flags: string, description: string, { sample = '2h', now = Date.now }: TimeOptions = {}): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    const ago = /^(\d{1,6})([smhd])$/.exec(typed);
    const atMs = ago
      ? now() - Number(ago[1]) * unitMs[ago[2] as keyof typeof unitMs]
      : zonedTime.test(typed)
        ? Date.parse(typed)
        : Number.NaN;
    if (Number.isNaN(atMs))
      throw new InvalidArgumentError('must be a time such as 2026-11-21T08:43:54Z, or a duration ago such as 15m, 2h or 1d, not {}.');
    return new Date(atMs).toISOString();
  });
  return withSample(sample, option);
}

/** When something ends; parsed to an ISO string. */
export const expiryOption = (description: string): Option =>
  withSample(
    '2027-11-21T00:00:00Z',
    new Option('--expires-at <time>', description).argParser((typed: string) => {
      if (Number.isNaN(Date.parse(typed))) throw new InvalidArgumentError('must be a time such as 2027-11-21T00:00:00Z, not {}.');
      return new Date(typed).toISOString();
    }),
  );

/** A duration; parsed to seconds. */
export function durationOption(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    const [, number, unit] = /^(\d{1,8})([smhd]?)$/.exec(typed) ?? [];
    if (number === undefined)
      throw new InvalidArgumentError('must be a duration such as 90s, 15m, 2h or 1d, or a number of seconds, not {}.');
    return (Number(number) * unitMs[(unit || 's') as keyof typeof unitMs]) / 1_000;
  });
  return withSample('1d', option);
}

export function urlOption(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    if (typed !== '' && (!URL.canParse(typed) || !/^https?:$/.test(new URL(typed).protocol)))
      throw new InvalidArgumentError('must be a URL such as https://app.example/hooks, not {}.');
    return typed;
  });
  return withSample('https://app.example/hooks', option);
}

export function idArgument(name: string, resource: string, listCommand: string): Argument {
  return new Argument(`<${name}>`, `ID of the ${resource}`).argParser((typed: string) => parseId(typed, listCommand));
}

export function idOption(flags: string, description: string, listCommand: string): Option {
  return new Option(flags, description).argParser((typed: string) => parseId(typed, listCommand));
}

export function parseId(typed: string, listCommand: string, sample: string = sampleIds.directory): string {
  if (isId(typed) || isFormerDirectoryId(typed)) return typed.toLowerCase();
  throw new InvalidArgumentError(`must be an ID such as ${sample}, not {}. Run \`${listCommand}\` to find IDs.`);
}

export const directoriesList = 'rollcall directories list';
export const directoryArgument = () => idArgument('directory', 'directory', directoriesList);
export const optionalDirectoryArgument = () =>
  new Argument('[directory]', 'ID of the directory; default: all directories').argParser((typed: string) =>
    parseId(typed, directoriesList),
  );
export const directoryOption = (description = 'ID of the directory') =>
  withSample(sampleIds.directory, idOption('--directory <id>', description, directoriesList));

export const tenantOption = (description = 'tenant (your customer)') => withSample('acme', new Option('--tenant <tenant>', description));
export const productOption = (description = 'product (your application)') =>
  withSample('crm', new Option('--product <product>', description));

/** The options that every list command takes. */
export const pageOptions = (): Option[] => [
  integerOption('--limit <n>', 'maximum number of results (default: 50)', { min: 1, max: 1000 }),
  integerOption('--offset <n>', 'number of results to skip'),
  new Option('--all', 'fetch all pages').conflicts(['limit', 'offset']),
  wideOption(),
];

/** Realistic IDs for help texts and error messages. */
export const sampleIds = {
  directory: '0197a3c4-5b1e-7c3a-9f00-2d4b6a8c0e11',
  user: '0197a3c4-9d2f-7a10-8c55-7e1b3f5d9a20',
  group: '0197a3c5-11b3-7f42-a6d8-90c2e4f60b31',
  event: '0197a3d0-2f6c-7b85-b1a4-6c8e0f2a4d53',
  delivery: 'msg_4rP9dXo2Qm7LkTz0VbNcYfGhJsA',
  replay: '0197a3d4-8e11-7d27-9c3b-5f7a9b1d3e64',
  run: '0197a3e1-40b7-7e93-8d25-1a3c5e7f9b86',
  apiKey: '0197a3e6-72c9-7a05-b1d8-3e5f7a9c1b42',
  scimClient: '0197a3e8-15d4-7b62-8e07-4a6c8f0b2d53',
  uploadToken: '0197a3ea-6b21-7c94-9f18-5b7d9f1c3e64',
} as const;

const sampleValues = new WeakMap<Option, string>();

export function withSample(sample: string, option: Option): Option {
  sampleValues.set(option, sample);
  return option;
}
export const sampleOf = (option: Option): string | undefined => sampleValues.get(option);

/** Gives an example of a command, preferably one that uses the option. */
export type ExampleFor = (flag?: string) => string;

const commandExamples = new WeakMap<Command, readonly [string, ...string[]]>();

export function setExamples(command: Command, examples: readonly [string, ...string[]]): void {
  commandExamples.set(command, examples);
}

export const firstExample = (command: Command): string | undefined => commandExamples.get(command)?.[0];

/** The example that has the option, or the first one with the option appended. */
export function findExample(command: Command, flag?: string): string {
  const [first, ...others] = commandExamples.get(command) ?? ['rollcall help'];
  const option = flag === undefined ? undefined : command.options.find(({ long }) => long === flag);
  if (!option) return first;
  const matching = [first, ...others].find((example) => example.split(' ').includes(flag!));
  if (matching !== undefined) return matching;
  if (!option.required && !option.optional) return `${first} ${flag}`;
  const sample = sampleOf(option);
  return sample === undefined ? first : `${first} ${flag} ${sample}`;
}
