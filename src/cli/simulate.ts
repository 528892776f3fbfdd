import { Argument, type Command } from 'commander';
import { registerCommand, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { CommandError, exitCodes, type Unwrap } from './errors.ts';
import { directoryOption, integerOption, parseEnum } from './options.ts';
import { pluralize } from './output/format.ts';
import { entra } from './simulate/entra.ts';
import { okta } from './simulate/okta.ts';
import { PushError, createPush, listPeople } from './simulate/push.ts';
import type { Client, Directory } from '../client/index.ts';

const providers = { okta, entra };
const names = Object.keys(providers);

interface Options {
  directory?: string;
  users?: number;
}

export function registerSimulate(command: Command, select: Select): void {
  registerCommand<Options>(
    command,
    {
      arguments: [
        new Argument('<provider>', `identity provider: ${names.join(' or ')}`).argParser((typed: string) => parseEnum(typed, names)),
      ],
      options: [
        directoryOption('push to this directory (default: the demo directory, created if necessary)'),
        integerOption('--users <n>', 'number of users to push (default: 3)', { min: 2, max: 1_000 }),
      ],
      examples: ['rollcall simulate okta', 'rollcall simulate entra --users 20'],
      action: simulate,
    },
    select,
  );
}

/** Pushes users and a group by SCIM as this provider does, then updates one user, and removes and deactivates another. */
async function simulate({ args: [name], options, client, unwrap, print }: Context<Options>): Promise<void> {
  const provider = providers[name as keyof typeof providers];
  const directory =
    options.directory === undefined ? await getDemoDirectory({ client, unwrap }) : await unwrap(client.directories.get(options.directory));
  const { endpoint, secret } = directory.scim;
  if (secret === null) throw secretHidden('simulate');
  if (endpoint === '')
    throw new CommandError(exitCodes.failed, `Directory ${directory.id} is of type ${directory.type}, which does not accept pushes.`);
  let count = 0;
  const push = createPush({
    endpoint,
    secret,
    headers: provider.headers,
    onResponse({ method, path, status, durationMs }) {
      count += 1;
      if (options.json) print.jsonLine({ method, path, status, duration_ms: Math.round(durationMs) });
      else print.line(`  ${method.padEnd(5)} ${decodeURIComponent(path)}  ${status} in ${Math.round(durationMs)} ms`);
    },
  });
  try {
    await provider.run({
      push,
      announce: (step) => (options.json ? undefined : print.line(step)),
      people: listPeople(options.users ?? 3),
      groupName: 'Engineering',
    });
  } catch (error) {
    throw error instanceof PushError ? new CommandError(exitCodes.failed, error.message) : error;
  }
  if (!options.json) print.note(`${provider.name}: ${pluralize(count, 'request')} sent to directory ${directory.id}.`);
}

/** For commands that work with a secret of the directory. */
export const secretHidden = (command: string) =>
  new CommandError(
    exitCodes.unauthorized,
    `\`${command}\` needs the secret of the directory, which the service does not show: pass an API key with the scope secrets:read.`,
  );

const owner = { tenant: 'demo', product: 'demo' };

/** The directory that `listen` and `simulate` use by default, created if necessary. Its events can be read and replayed. */
export async function getDemoDirectory({ client, unwrap }: { client: Client; unwrap: Unwrap }): Promise<Directory> {
  const [directory] = await unwrap(client.directories.list(owner));
  return directory ?? unwrap(client.directories.create({ ...owner, name: 'Demo', type: 'generic-scim-v2', log_webhook_events: true }));
}
