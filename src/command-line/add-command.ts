import type { Argument, Command, Option } from 'commander';
import type { Client } from '../client/index.ts';
import type { Ask, Asked } from './ask.ts';
import { explainUsage, refuseSwallowed } from './explain-usage.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { apiKeyOption, apiKeyFileOption, jsonOption, urlOption } from './options.ts';
import type { Printer } from './print.ts';
import type { Shell } from './shell.ts';

/** What was chosen by what was typed; it gives an exit code, or nothing while it goes on. */
export type Chosen = (shell: Shell) => Promise<number | undefined>;
export type Choose = (run: Chosen) => void;

export interface Connected {
  url?: string;
  apiKey?: string;
  apiKeyFile?: string;
}

export interface Context<Options = object> {
  args: string[];
  options: Options & Connected & { json?: boolean };
  shell: Shell;
  print: Printer;
  /** Of the service that the options and the settings lead to. */
  client: Client;
  /** The data of an answer; what is refused ends the command. */
  ask: Ask;
  asked: Asked;
}

type Action<Options> = (context: Context<Options>) => Promise<ExitCode | void>;

interface Described {
  arguments?: Argument[];
  options?: Option[];
  /** The first is shown to whoever mistyped. */
  examples: [string, ...string[]];
}

export interface CommandPlan<Options> extends Described {
  /** Its code is loaded when it is wanted. */
  load: () => Promise<Action<Options>>;
}

/** A command of a group that asks the service. */
export function addCommand<Options extends object>(
  group: Command,
  { name, summary, ...plan }: CommandPlan<Options> & { name: string; summary: string },
  choose: Choose,
): void {
  fillCommand(group.command(name).description(summary), plan, choose);
}

export function fillCommand<Options extends object>(command: Command, plan: CommandPlan<Options>, choose: Choose): void {
  describe(command, plan);
  for (const option of [jsonOption(), urlOption(), apiKeyOption(), apiKeyFileOption()]) command.addOption(option);
  command.action(() => {
    refuseSwallowed(command, plan.examples[0]);
    choose(async (shell) => {
      const [action, { createContext }] = await Promise.all([plan.load(), import('./create-context.ts')]);
      const flags = command.options.flatMap(({ long }) => long ?? []);
      const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
      const options = command.opts<Context<Options>['options']>();
      return (await action(await createContext({ args, options, shell, flags, example: plan.examples[0] }))) ?? exitCodes.done;
    });
  });
}

interface PlainPlan extends Described {
  run: (shell: Shell) => Promise<number | undefined>;
}

/** A command that asks no service, or does so in its own way. */
export function fillPlainCommand(command: Command, { run, ...plan }: PlainPlan, choose: Choose): void {
  describe(command, plan);
  command.action(() => {
    refuseSwallowed(command, plan.examples[0]);
    choose(run);
  });
}

function describe(command: Command, { arguments: args = [], options = [], examples }: Described): void {
  for (const argument of args) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  const heading = examples.length > 1 ? 'Examples:' : 'Example:';
  command
    .addHelpText('after', ['', heading, ...examples.map((example) => `  ${example}`)].join('\n'))
    .exitOverride((error) => explainUsage(command, error, examples[0]));
}
