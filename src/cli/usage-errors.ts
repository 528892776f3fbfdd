import type { Command, CommanderError, Option } from 'commander';
import { findClosest, suggest } from '../shared/suggest.ts';
import { UsageError } from './errors.ts';
import { findExample, firstExample, globalOptions, sampleOf } from './options.ts';

/** Turns an error of the parser into a sentence that names the argument and shows an example. */
export function toUsageError(command: Command, error: CommanderError): never {
  if (error.exitCode === 0) throw error;
  rejectSwallowedOption(command);
  throw new UsageError(`${describeError(command, error)} Example: ${exampleFor(command, error)}`);
}

/** An example of the suggested command, or of the option at fault. */
function exampleFor(command: Command, { code, message }: CommanderError): string {
  const quoted = quotedIn(message);
  switch (code) {
    case 'commander.unknownCommand': {
      const suggestion = suggestCommand(command, quoted);
      const suggested = command.commands.find((one) => one.name() === suggestion);
      return (
        (suggested && firstExample(suggested)) ?? (command.parent || !suggestion ? findExample(command) : `rollcall help ${suggestion}`)
      );
    }
    case 'commander.unknownOption':
    case 'commander.missingMandatoryOptionValue': {
      const unknown = code === 'commander.unknownOption' ? quoted : findUnknown(command);
      const flag = unknown?.split('=')[0];
      if (flag === undefined) return findExample(command);
      if (isGlobalNotTaken(command, flag)) return findExample(command);
      if (command.commands.length > 0) return exampleOfGlobal(command, findClosest(flag, flagsOf(command)));
      return findExample(command, findClosest(flag, flagsOf(command)));
    }
    case 'commander.optionMissingArgument':
    case 'commander.conflictingOption':
    case 'commander.invalidArgument':
      return findExample(command, longNameOf(quoted));
    default:
      return findExample(command);
  }
}

const quotedIn = (message: string) => /(?:option|command) '(.*?)'/s.exec(message)?.[1] ?? '';

function exampleOfGlobal(command: Command, flag: string | undefined): string {
  if (command.parent) return findExample(command);
  const option = globalOptions().find(({ long }) => long === flag);
  return `rollcall ${option ? withValue(option) : '--json'} directories list`;
}

const withValue = (option: Option) => [option.long, ...(option.required ? [sampleOf(option) ?? ''] : [])].join(' ').trim();

function describeError(command: Command, { code, message }: CommanderError): string {
  const quoted = quotedIn(message);
  switch (code) {
    case 'commander.help':
      return `${commandName(command)} requires a command: ${namesIn(command).join(', ')}.`;
    case 'commander.unknownCommand':
      return describeUnknownCommand(command, quoted);
    case 'commander.unknownOption':
      return describeUnknownOption(command, quoted);
    case 'commander.missingMandatoryOptionValue':
      return describeMissingOptions(command);
    case 'commander.missingArgument':
      return `${commandName(command)} requires ${listOf(missingArguments(command))}.`;
    case 'commander.optionMissingArgument':
      return `${longNameOf(quoted)} requires a value: ${quoted.split(', ').at(-1)}.`;
    case 'commander.excessArguments':
      return describeExcess(command);
    case 'commander.conflictingOption': {
      const [one, other] = [...message.matchAll(/option '(.*?)'/gs)].map(([, flags]) => longNameOf(flags!));
      return `${one} and ${other} cannot be used together.`;
    }
    case 'commander.invalidArgument':
      return describeInvalidValue(message);
    default:
      return message;
  }
}

/** What other tools call our commands. */
const aliases: Record<string, string> = {
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

function describeUnknownCommand(command: Command, typed: string): string {
  const question = suggest(suggestCommand(command, typed));
  if (!command.parent) return `Unknown command: ${typed}.${question} Run \`rollcall help\` to list all commands.`;
  return `Unknown command: ${commandName(command)} ${typed}.${question} Available: ${namesIn(command).join(', ')}.`;
}

function suggestCommand(command: Command, typed: string): string | undefined {
  const names = namesIn(command);
  const alias = aliases[typed];
  return alias !== undefined && names.includes(alias) ? alias : findClosest(typed, names);
}

function describeUnknownOption(command: Command, typed: string): string {
  const flag = typed.split('=')[0]!;
  if (isGlobalNotTaken(command, flag)) return `${commandName(command)} does not take ${flag}.`;
  const suggestion = findClosest(flag, flagsOf(command));
  if (command.commands.length > 0 && suggestion === undefined)
    return `Unknown option ${flag} before the command. Only ${listOf(flagsOf(command))} can come before it.`;
  const longer = flagsOf(command).filter((one) => one.startsWith(`${flag}-`));
  return `Unknown option ${flag}.${suggest(suggestion ?? (longer.join(' or ') || undefined)) || ` Run \`rollcall ${commandName(command)} --help\` to list its options.`}`;
}

/** For example --wide, which only lists take. */
const isGlobalNotTaken = (command: Command, flag: string) =>
  command.commands.length === 0 && globalOptions().some(({ long }) => long === flag);

/** A misspelled option is named first: it may be the one that is missing. */
function describeMissingOptions(command: Command): string {
  const unknown = findUnknown(command);
  if (unknown !== undefined) return describeUnknownOption(command, unknown);
  const missing = command.options
    .filter((option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined)
    .map(({ long }) => long!);
  return `${commandName(command)} requires ${listOf([...missing, ...missingArguments(command)])}.`;
}

const findUnknown = (command: Command) => command.args.find((word) => /^-./.test(word));

const missingArguments = (command: Command) =>
  command.registeredArguments
    .slice(command.args.length)
    .filter(({ required }) => required)
    .map((argument) => `<${argument.name()}>`);

function describeExcess(command: Command): string {
  const expected = command.registeredArguments;
  const excess = command.args.slice(expected.length).map((word) => `"${word}"`);
  const takes = expected.length === 0 ? 'no arguments' : `only ${listOf(expected.map((argument) => `<${argument.name()}>`))}`;
  return `${commandName(command)} takes ${takes}; remove ${listOf(excess)}. Quote values that contain spaces.`;
}

/** `option '--limit <n>' argument 'x' is invalid. must be …` */
function describeInvalidValue(message: string): string {
  const option = /option '([^']*)' argument '(.*)' is invalid\. (.*)$/s.exec(message);
  const argument = /value '(.*)' is invalid for argument '([^']*)'\. (.*)$/s.exec(message);
  const [name, value, requirement] = option
    ? [longNameOf(option[1]!), option[2]!, option[3]!]
    : [`<${argument?.[2] ?? ''}>`, argument?.[1] ?? '', argument?.[3] ?? message];
  return `${name} ${requirement.replace('{}', () => `"${value}"`)}`;
}

/** An option that was typed without its value takes the next option as the value. */
export function rejectSwallowedOption(command: Command): void {
  const flags = flagsOf(command);
  const names = namesIn(command);
  const swallowing = command.options.find((option) => {
    const value: unknown = command.getOptionValue(option.attributeName());
    return typeof value === 'string' && (flags.includes(value) || names.includes(value));
  });
  if (swallowing)
    throw new UsageError(`${swallowing.long} requires a value: ${swallowing.flags}. Example: ${findExample(command, swallowing.long)}`);
}

/** `directories create`: in a sentence, a command stands without `rollcall`; what can be pasted has it. */
export function commandName(command: Command): string {
  return command.parent?.parent ? `${commandName(command.parent)} ${command.name()}` : command.name();
}

const namesIn = (command: Command) => command.commands.map((one) => one.name());
const flagsOf = (command: Command) => [...command.options.flatMap(({ long }) => long ?? []), '--help'];
const longNameOf = (flags: string) => flags.split(/[ ,|]+/).find((word) => word.startsWith('--')) ?? flags;

function listOf(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
