import type { Command, CommanderError } from 'commander';
import { UsageError } from './failures.ts';
import { nearest } from '../nearest.ts';

/** Turns what the parser found into a sentence that names the argument and shows an example. */
export function explainUsage(command: Command, error: CommanderError, example: string): never {
  if (error.exitCode === 0) throw error;
  refuseSwallowed(command, example);
  throw new UsageError(`${inWords(command, error)} Example: ${example}`);
}

function inWords(command: Command, { code, message }: CommanderError): string {
  const quoted = /'(.*?)'/s.exec(message)?.[1] ?? '';
  switch (code) {
    case 'commander.help':
      return `${fullName(command)} wants a command: ${namesIn(command).join(', ')}.`;
    case 'commander.unknownCommand':
      return explainCommand(command, quoted);
    case 'commander.unknownOption':
      return explainOption(command, quoted);
    case 'commander.missingMandatoryOptionValue':
      return explainMissing(command);
    case 'commander.missingArgument':
      return `${fullName(command)} wants ${listOf(missingArguments(command))}.`;
    case 'commander.optionMissingArgument':
      return `${nameOf(quoted)} wants a value: ${quoted.split(', ').at(-1)}.`;
    case 'commander.excessArguments':
      return explainExcess(command);
    case 'commander.conflictingOption': {
      const [one, other] = [...message.matchAll(/option '(.*?)'/gs)].map(([, flags]) => nameOf(flags!));
      return `${one} and ${other} exclude each other: give one of them.`;
    }
    case 'commander.invalidArgument':
      return explainValue(message);
    default:
      return message;
  }
}

/** Words that other tools have for ours. */
const otherWords: Record<string, string> = {
  get: 'show',
  view: 'show',
  describe: 'show',
  ls: 'list',
  rm: 'delete',
  remove: 'delete',
  add: 'create',
  new: 'create',
  edit: 'update',
  set: 'update',
  follow: 'tail',
  watch: 'tail',
};

function explainCommand(command: Command, typed: string): string {
  const names = namesIn(command);
  const other = otherWords[typed];
  const meant = other !== undefined && names.includes(other) ? other : nearest(typed, names);
  const found = meant === undefined ? '' : ` Did you mean ${meant}?`;
  if (!command.parent) return `There is no command ${typed}.${found} \`rollcall help\` shows which there are.`;
  return `${fullName(command)} has no command ${typed}.${found} It has ${names.join(', ')}.`;
}

function explainOption(command: Command, typed: string): string {
  const flag = typed.split('=')[0]!;
  if (command.commands.length > 0) return `Unknown option ${flag} before the command: options come after it.`;
  const meant = nearest(flag, flagsOf(command));
  return `Unknown option ${flag}.${meant === undefined ? ` \`${fullName(command)} --help\` shows which there are.` : ` Did you mean ${meant}?`}`;
}

/** All at once, and the misspelt one first: it may be what is missing. */
function explainMissing(command: Command): string {
  const unknown = command.args.find((word) => /^-./.test(word));
  if (unknown !== undefined) return explainOption(command, unknown);
  const missing = command.options
    .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long }) => long!);
  return `${fullName(command)} wants ${listOf([...missing, ...missingArguments(command)])}.`;
}

const missingArguments = (command: Command) =>
  command.registeredArguments
    .slice(command.args.length)
    .filter(({ required }) => required)
    .map((argument) => `<${argument.name()}>`);

function explainExcess(command: Command): string {
  const expected = command.registeredArguments;
  const excess = command.args.slice(expected.length).map((word) => `“${word}”`);
  const takes = expected.length === 0 ? 'no arguments' : `only ${listOf(expected.map((argument) => `<${argument.name()}>`))}`;
  return `${fullName(command)} takes ${takes}: ${listOf(excess)} ${excess.length === 1 ? 'is' : 'are'} too much. Put quotes around what has spaces in it.`;
}

/** `option '--limit <n>' argument 'x' is invalid. must be …` */
function explainValue(message: string): string {
  const option = /option '([^']*)' argument '(.*)' is invalid\. (.*)$/s.exec(message);
  const argument = /value '(.*)' is invalid for argument '([^']*)'\. (.*)$/s.exec(message);
  const [name, value, wanted] = option
    ? [nameOf(option[1]!), option[2]!, option[3]!]
    : [`<${argument?.[2] ?? ''}>`, argument?.[1] ?? '', argument?.[3] ?? message];
  return `${name} ${wanted.replace('{}', () => `“${value}”`)}`;
}

/** An option whose value was forgotten takes the next option for it. */
export function refuseSwallowed(command: Command, example?: string): void {
  const flags = flagsOf(command);
  const careless = command.options.find((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return typeof value === 'string' && flags.includes(value);
  });
  if (careless)
    throw new UsageError(`${careless.long} wants a value: ${careless.flags}.${example === undefined ? '' : ` Example: ${example}`}`);
}

export function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

const namesIn = (command: Command) => command.commands.map((one) => one.name());
const flagsOf = (command: Command) => [...command.options.flatMap(({ long }) => long ?? []), '--help'];
const nameOf = (flags: string) => flags.split(/[ ,|]+/).find((word) => word.startsWith('--')) ?? flags;

function listOf(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
