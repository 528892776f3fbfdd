import { Argument, InvalidArgumentError, Option } from 'commander';
import { isId } from '../ids.ts';
import { nearest } from '../shared/suggest.ts';
import { examples } from './example-ids.ts';

const connecting = 'Which service:';

export const jsonOption = () => new Option('--json', 'print JSON, for machines').helpGroup('Output:');
export const urlOption = () =>
  showing(
    'http://127.0.0.1:5225',
    new Option('--url <address>', 'address of the service; else ROLLCALL_URL, else as .env says, else that which runs here'),
  ).helpGroup(connecting);
export const apiKeyOption = () =>
  showing(
    'rollcall_…',
    new Option('--api-key <key>', 'its API key; else ROLLCALL_API_KEY, else as .env says, else from .rollcall/api-key'),
  ).helpGroup(connecting);
export const apiKeyFileOption = () =>
  showing(
    '.rollcall/api-key',
    isFile(new Option('--api-key-file <file>', 'file with the API key, which other users of the machine then do not see')),
  ).helpGroup(connecting);
export const connectionOptions = (): Option[] => [jsonOption(), urlOption(), apiKeyOption(), apiKeyFileOption()];

const samples = new WeakMap<Option, string>();
/** What an example shows as its value. */
function showing(sample: string, option: Option): Option {
  samples.set(option, sample);
  return option;
}
export const sampleOf = (option: Option): string | undefined => samples.get(option);

const filed = new WeakSet<Option>();
/** For shell completion: its value is a file. */
export function isFile(option: Option): Option {
  filed.add(option);
  return option;
}
export const wantsFile = (option: Option): boolean => filed.has(option);

/** One of some words. */
export function choice(flags: string, description: string, words: readonly string[]): Option {
  return showing(
    words[0]!,
    new Option(flags, description).choices(words).argParser((typed: string) => readWord(typed, words)),
  );
}

/** Some of them, by comma. */
export function choices(flags: string, description: string, words: readonly string[]): Option {
  return showing(
    words[0]!,
    new Option(flags, description).choices(words).argParser((typed: string) =>
      typed
        .split(',')
        .map((word) => readWord(word.trim(), words))
        .join(','),
    ),
  );
}

export function readWord(typed: string, words: readonly string[]): string {
  if (words.includes(typed)) return typed;
  const meant = nearest(typed, words);
  throw new InvalidArgumentError(
    `must be one of ${words.join(', ')}, not “${typed}”.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
  );
}

export const yesOrNo = (flags: string, description: string): Option =>
  showing(
    'true',
    new Option(flags, description).choices(['true', 'false']).argParser((typed: string) => readWord(typed, ['true', 'false']) === 'true'),
  );

export function wholeNumber(
  flags: string,
  description: string,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): Option {
  const sample = Math.max(min, Math.min(max, 50));
  const option = new Option(flags, description).argParser((typed: string) => {
    const number = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
    if (!(number >= min && number <= max))
      throw new InvalidArgumentError(
        `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`}, like ${sample}, not {}.`,
      );
    return number;
  });
  return showing(String(sample), option);
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const zoned = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

interface TimeOption {
  sample?: string;
  now?: () => number;
}

/** A time, or how long ago it was; given to the API as it wants it. */
export function time(flags: string, description: string, { sample = '2h', now = Date.now }: TimeOption = {}): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    const ago = /^(\d{1,6})([smhd])$/.exec(typed);
    const atMs = ago ? now() - Number(ago[1]) * units[ago[2] as keyof typeof units] : zoned.test(typed) ? Date.parse(typed) : Number.NaN;
    if (Number.isNaN(atMs))
      throw new InvalidArgumentError('must be a time like 2026-11-21T08:43:54Z, or how long ago like 15m, 2h or 1d, not {}.');
    return new Date(atMs).toISOString();
  });
  return showing(sample, option);
}

/** How long, in seconds. */
export function duration(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    const [, number, unit] = /^(\d{1,8})([smhd]?)$/.exec(typed) ?? [];
    if (number === undefined) throw new InvalidArgumentError('must be a time like 90s, 15m, 2h or 1d, or a number of seconds, not {}.');
    return (Number(number) * units[(unit || 's') as keyof typeof units]) / 1_000;
  });
  return showing('1d', option);
}

export function address(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser((typed: string) => {
    if (typed !== '' && (!URL.canParse(typed) || !/^https?:$/.test(new URL(typed).protocol)))
      throw new InvalidArgumentError('must be an address like https://app.example/hooks, not {}.');
    return typed;
  });
  return showing('https://app.example/hooks', option);
}

export function idArgument(name: string, what: string, whereFrom: string): Argument {
  return new Argument(`<${name}>`, `id of the ${what}`).argParser((typed: string) => readId(typed, whereFrom));
}

export function idOption(flags: string, description: string, whereFrom: string): Option {
  return new Option(flags, description).argParser((typed: string) => readId(typed, whereFrom));
}

function readId(typed: string, whereFrom: string): string {
  if (isId(typed)) return typed.toLowerCase();
  throw new InvalidArgumentError(`must be an id like ${examples.directory}, not {}: ${whereFrom} shows ids.`);
}

const directoriesList = '`rollcall directories list`';
export const directoryArgument = () => idArgument('directory', 'directory', directoriesList);
export const directoryOption = (description = 'id of one directory') =>
  showing(examples.directory, idOption('--directory <id>', description, directoriesList));

export const tenantOption = (description = 'your customer') => showing('acme', new Option('--tenant <tenant>', description));
export const productOption = (description = 'your application') => showing('crm', new Option('--product <product>', description));

export const pageOptions = (): Option[] => [
  wholeNumber('--limit <n>', 'at most so many; 50 if nothing is said', { min: 1, max: 1000 }),
  wholeNumber('--offset <n>', 'pass over so many first'),
  new Option('--all', 'page through to the end').conflicts(['limit', 'offset']),
];
