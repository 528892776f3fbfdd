import type { Argument, Command, Option } from 'commander';
import type { Client } from '../client/index.ts';
import type { Ask, Asked } from './ask.ts';
import { explainUsage, refuseSwallowed } from './explain-usage.ts';
import { fittingExample, keepExamples, type ExampleFor } from './fitting-example.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { connectionOptions } from './options.ts';
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

/** What was typed, before a service is looked for. */
export interface Typed<Options> {
  args: string[];
  options: Options & Connected & { json?: boolean };
  exampleFor: ExampleFor;
}

export interface Context<Options = object, Judged = undefined> {
  args: string[];
  options: Typed<Options>['options'];
  judged: Judged;
  shell: Shell;
  print: Printer;
  /** Of the service that the options and the settings lead to. */
  client: Client;
  /** The data of an answer; what is refused ends the command. */
  ask: Ask;
  asked: Asked;
}

type Action<Options, Judged> = (context: Context<Options, Judged>) => Promise<ExitCode | void>;

interface Described {
  arguments?: Argument[];
  options?: Option[];
  /** The first is shown to whoever mistyped. */
  examples: [string, ...string[]];
}

export interface CommandPlan<Options, Judged> extends Described {
  /** Refuses what can't be meant before a service or a key is looked for, and gives what the action needs of it. */
  judge?: (typed: Typed<Options>) => Judged | Promise<Judged>;
  /** Its code is loaded when it is wanted. */
  load: () => Promise<Action<Options, Judged>>;
}

/** A command of a group that asks the service. */
export function addCommand<Options extends object, Judged = undefined>(
  group: Command,
  { name, summary, ...plan }: CommandPlan<Options, Judged> & { name: string; summary: string },
  choose: Choose,
): void {
  fillCommand(group.command(name).description(summary), plan, choose);
}

export function fillCommand<Options extends object, Judged = undefined>(
  command: Command,
  plan: CommandPlan<Options, Judged>,
  choose: Choose,
): void {
  describe(command, plan);
  for (const option of connectionOptions()) command.addOption(option);
  command.action(() => {
    refuseSwallowed(command);
    choose(async (shell) => {
      const [action, { createContext }] = await Promise.all([plan.load(), import('./create-context.ts')]);
      const flags = command.options.flatMap(({ long }) => long ?? []);
      const args = command.processedArgs.flat().filter((arg): arg is string => typeof arg === 'string');
      const options = command.opts<Typed<Options>['options']>();
      const exampleFor: ExampleFor = (flag) => fittingExample(command, flag);
      const judged = (await plan.judge?.({ args, options, exampleFor })) as Judged;
      const context = await createContext({ args, options, shell, flags, exampleFor });
      return (await action({ ...context, judged })) ?? exitCodes.done;
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
    refuseSwallowed(command);
    choose(run);
  });
}

function describe(command: Command, { arguments: args = [], options = [], examples }: Described): void {
  for (const argument of args) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  keepExamples(command, examples);
  const heading = examples.length > 1 ? 'Examples:' : 'Example:';
  command
    .addHelpText('after', ['', heading, ...examples.map((example) => `  ${example}`)].join('\n'))
    .exitOverride((error) => explainUsage(command, error));
}
