import { createClient, type Client } from '../client/index.ts';
import { findConnection, type ConnectionOptions } from './connection.ts';
import { createPrinter, type Printer } from './output/printer.ts';
import { loadEnvFile, type Shell } from './shell.ts';
import { type ErrorContext, type Unwrap, createUnwrap } from './errors.ts';
import type { ExampleFor } from './options.ts';

/** What was typed. */
export interface ParsedCommand<Options> {
  args: string[];
  options: Options & ConnectionOptions & { json?: boolean; wide?: boolean };
  exampleFor: ExampleFor;
}

/** Everything that the action of a command works with. */
export interface Context<Options = object, Input = undefined> extends ParsedCommand<Options> {
  /** What `validate` returned. */
  input: Input;
  shell: Shell;
  print: Printer;
  client: Client;
  apiKey: string;
  unwrap: Unwrap;
  errorContext: ErrorContext;
}

export async function createContext<Options>(
  parsed: ParsedCommand<Options>,
  flags: string[],
  shell: Shell,
): Promise<Omit<Context<Options>, 'input'>> {
  loadEnvFile();
  const { baseUrl, apiKey, keySource } = await findConnection(parsed.options, shell.env);
  const errorContext = { flags, baseUrl, keySource, exampleFor: parsed.exampleFor };
  return {
    ...parsed,
    shell,
    print: createPrinter(shell),
    client: createClient({ baseUrl, apiKey }),
    apiKey,
    unwrap: createUnwrap(errorContext),
    errorContext,
  };
}
