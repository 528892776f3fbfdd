import type { Command, CommanderError, Option } from 'commander';
import { UsageError } from './failures.ts';
import { firstExample, fittingExample } from './fitting-example.ts';
import { connectionOptions, sampleOf } from './options.ts';
import { nearest } from '../shared/suggest.ts';

/** Turns what the parser found into a sentence that names the argument and shows an example. */
export function explainUsage(command: Command, error: CommanderError): never {
  if (error.exitCode === 0) throw error;
  refuseSwallowed(command);
  throw new UsageError(`${inWords(command, error)} Example: ${exampleOf(command, error)}`);
}

/** Of what went wrong: of the command that was probably meant, or of the option. */
function exampleOf(command: Command, { code, message }: CommanderError): string {
  const quoted = quotedIn(message);
  switch (code) {
    case 'commander.unknownCommand': {
      const meant = findMeant(command, quoted);
      const found = command.commands.find((one) => one.name() === meant);
      return (found && firstExample(found)) ?? (command.parent || !meant ? fittingExample(command) : `rollcall help ${meant}`);
    }
    case 'commander.unknownOption':
    case 'commander.missingMandatoryOptionValue': {
      const unknown = code === 'commander.unknownOption' ? quoted : findUnknown(command);
      const flag = unknown?.split('=')[0];
      if (flag === undefined) return fittingExample(command);
      if (command.commands.length > 0) return behindCommand(command, flag);
      return fittingExample(command, nearest(flag, flagsOf(command)));
    }
    case 'commander.optionMissingArgument':
    case 'commander.conflictingOption':
    case 'commander.invalidArgument':
      return fittingExample(command, nameOf(quoted));
    default:
      return fittingExample(command);
  }
}

const quotedIn = (message: string) => /(?:option|command) '(.*?)'/s.exec(message)?.[1] ?? '';

/** An option that every command takes, typed too soon. */
function behindCommand(command: Command, flag: string): string {
  const option = connectionOptions().find(({ long }) => long === flag);
  return option && !command.parent ? `rollcall stats ${withSample(option)}` : fittingExample(command);
}

const withSample = (option: Option) => [option.long, ...(option.required ? [sampleOf(option) ?? ''] : [])].join(' ').trim();

function inWords(command: Command, { code, message }: CommanderError): string {
  const quoted = quotedIn(message);
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
  const meant = findMeant(command, typed);
  const found = meant === undefined ? '' : ` Did you mean ${meant}?`;
  if (!command.parent) return `There is no command ${typed}.${found} \`rollcall help\` shows which there are.`;
  return `${fullName(command)} has no command ${typed}.${found} It has ${names.join(', ')}.`;
}

function findMeant(command: Command, typed: string): string | undefined {
  const names = namesIn(command);
  const other = otherWords[typed];
  return other !== undefined && names.includes(other) ? other : nearest(typed, names);
}

function explainOption(command: Command, typed: string): string {
  const flag = typed.split('=')[0]!;
  if (command.commands.length > 0) return `Unknown option ${flag} before the command: options come after it.`;
  const meant = nearest(flag, flagsOf(command));
  return `Unknown option ${flag}.${meant === undefined ? ` \`${fullName(command)} --help\` shows which there are.` : ` Did you mean ${meant}?`}`;
}

/** All at once, and the misspelt one first: it may be what is missing. */
function explainMissing(command: Command): string {
  const unknown = findUnknown(command);
  if (unknown !== undefined) return explainOption(command, unknown);
  const missing = command.options
    .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long }) => long!);
  return `${fullName(command)} wants ${listOf([...missing, ...missingArguments(command)])}.`;
}

const findUnknown = (command: Command) => command.args.find((word) => /^-./.test(word));

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
export function refuseSwallowed(command: Command): void {
  const flags = flagsOf(command);
  const careless = command.options.find((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return typeof value === 'string' && flags.includes(value);
  });
  if (careless)
    throw new UsageError(`${careless.long} wants a value: ${careless.flags}. Example: ${fittingExample(command, careless.long)}`);
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
