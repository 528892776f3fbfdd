import { Argument, type Command, type Option } from 'commander';
import type { Client } from './api.ts';
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

export type Action<Options> = (context: Context<Options>) => Promise<ExitCode | void>;

export interface CommandPlan<Options> {
  name: string;
  summary: string;
  arguments?: Argument[];
  options?: Option[];
  /** The first is shown to whoever mistyped. */
  examples: [string, ...string[]];
  /** Its code is loaded when it is wanted. */
  load: () => Promise<Action<Options>>;
}

/** A command that asks the service. */
export function addCommand<Options extends object>(parent: Command, plan: CommandPlan<Options>, choose: Choose): Command {
  const command = addPlain(parent, plan);
  for (const option of [jsonOption(), urlOption(), apiKeyOption(), apiKeyFileOption()]) command.addOption(option);
  return command.action(() => {
    refuseSwallowed(command);
    choose(async (shell) => {
      const [action, { createContext }] = await Promise.all([plan.load(), import('./create-context.ts')]);
      const flags = command.options.flatMap(({ long }) => long ?? []);
      const args = command.processedArgs.flat() as string[];
      const context = await createContext({
        args,
        options: command.opts<Context<Options>['options']>(),
        shell,
        flags,
        example: plan.examples[0],
      });
      return (await action(context)) ?? exitCodes.done;
    });
  });
}

/** A command that does not: it connects to nothing, or by itself. */
export function addPlainCommand(
  parent: Command,
  plan: Omit<CommandPlan<object>, 'load'> & { run: (shell: Shell, command: Command) => Promise<number | undefined> },
  choose: Choose,
): Command {
  const command = addPlain(parent, plan);
  return command.action(() => {
    refuseSwallowed(command);
    choose((shell) => plan.run(shell, command));
  });
}

function addPlain(
  parent: Command,
  {
    name,
    summary,
    arguments: args = [],
    options = [],
    examples,
  }: Pick<CommandPlan<object>, 'name' | 'summary' | 'arguments' | 'options' | 'examples'>,
): Command {
  const command = parent.command(name).description(summary);
  for (const argument of args) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  command.addHelpText(
    'after',
    ['', examples.length > 1 ? 'Examples:' : 'Example:', ...examples.map((example) => `  ${example}`)].join('\n'),
  );
  return command.exitOverride((error) => explainUsage(command, error, examples[0]));
}
