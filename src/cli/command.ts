import type { Argument, Command, Option } from 'commander';
import type { Context, ParsedCommand } from './connection.ts';
import { type ExitCode, UsageError, exitCodes } from './errors.ts';
import { connectionOptions, findExample, setExamples } from './options.ts';
import type { Shell } from './shell.ts';
import { commandName, rejectSwallowedOption, toUsageError } from './usage-errors.ts';

/** Runs the command that was typed. Resolves to its exit code, or to undefined if it keeps running. */
export type Run = (shell: Shell) => Promise<number | undefined>;
/** Called with the command that was typed. */
export type Select = (run: Run) => void;

interface CommandSpec {
  arguments?: Argument[];
  options?: Option[];
  /** The first is shown with usage errors. */
  examples: [string, ...string[]];
}

interface ServiceCommandSpec<Options, Input> extends CommandSpec {
  /** Rejects invalid input before a service or an API key is looked up, and converts it for the action. */
  validate?: (parsed: ParsedCommand<Options>) => Input | Promise<Input>;
  action: (context: Context<Options, Input>) => Promise<ExitCode | void>;
}

/** Adds commands that call the API below another command. */
export const createCommandAdder =
  (parent: Command, select: Select) =>
  <Options extends object, Input = undefined>({
    name,
    summary,
    ...spec
  }: ServiceCommandSpec<Options, Input> & { name: string; summary: string }): void =>
    registerCommand(parent.command(name).description(summary), spec, select);

/** Completes a command that calls the API. */
export function registerCommand<Options extends object, Input = undefined>(
  command: Command,
  { validate, action, ...spec }: ServiceCommandSpec<Options, Input>,
  select: Select,
): void {
  describeCommand(command, { ...spec, options: [...(spec.options ?? []), ...connectionOptions()] });
  command.action(() => {
    completeOptions(command);
    select(async (shell) => {
      const parsed: ParsedCommand<Options> = {
        args: command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string'),
        options: command.opts<ParsedCommand<Options>['options']>(),
        exampleFor: (flag) => findExample(command, flag),
      };
      const input = (await validate?.(parsed)) as Input;
      // The client takes a while to load.
      const { createContext } = await import('./connection.ts');
      const context = await createContext(parsed, longFlags(command), shell);
      return (await action({ ...context, input })) ?? exitCodes.success;
    });
  });
}

/** Completes a command that does not call the API, or does so in its own way. */
export function registerPlainCommand(command: Command, { run, ...spec }: CommandSpec & { run: Run }, select: Select): void {
  describeCommand(command, spec);
  command.action(() => {
    completeOptions(command);
    select(run);
  });
}

function describeCommand(command: Command, { arguments: args = [], options = [], examples }: CommandSpec): void {
  for (const argument of args) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  setExamples(command, examples);
  const heading = examples.length > 1 ? 'Examples:' : 'Example:';
  command
    .addHelpText('after', ['', heading, ...examples.map((example) => `  ${example}`)].join('\n'))
    .exitOverride((error) => toUsageError(command, error));
}

/** Adds the options that were typed before the command: `rollcall --json stats`. */
function completeOptions(command: Command): void {
  for (let parent = command.parent; parent; parent = parent.parent)
    for (const option of parent.options) {
      const name = option.attributeName();
      if (parent.getOptionValueSource(name) !== 'cli') continue;
      if (!longFlags(command).includes(option.long!))
        throw new UsageError(`${commandName(command)} does not take ${option.long}. Example: ${findExample(command)}`);
      if (command.getOptionValueSource(name) !== 'cli') command.setOptionValueWithSource(name, parent.getOptionValue(name), 'cli');
    }
  rejectSwallowedOption(command);
}

const longFlags = (command: Command) => command.options.flatMap(({ long }) => long ?? []);
