import type { Connected, Context } from './add-command.ts';
import { createClient } from '../client/index.ts';
import { createAsk } from './ask.ts';
import { findConnection } from './connection.ts';
import { createPrinter } from './print.ts';
import { readSettings } from './read-settings.ts';
import type { ExampleFor } from './fitting-example.ts';
import type { Shell } from './shell.ts';

interface Typed<Options> {
  args: string[];
  options: Options;
  shell: Shell;
  flags: string[];
  exampleFor: ExampleFor;
}

/** All that an action works with: what was typed, and the service that it leads to. */
export async function createContext<Options extends Connected>({ args, options, shell, flags, exampleFor }: Typed<Options>) {
  readSettings();
  const { baseUrl, apiKey, keyFrom } = await findConnection(options, shell.env);
  const asked = { flags, keyFrom, exampleFor };
  return {
    args,
    options,
    shell,
    print: createPrinter(shell),
    client: createClient({ baseUrl, apiKey }),
    ask: createAsk(asked),
    asked,
  } satisfies Omit<Context<Options>, 'judged'>;
}
