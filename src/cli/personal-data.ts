import { Option, type Command } from 'commander';
import type { Erasure } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import { confirm } from './confirm.ts';
import type { Context } from './connection.ts';
import { directoryArgument, idArgument, sampleIds } from './options.ts';
import { shortTime } from './output/format.ts';
import { createProgress } from './output/progress.ts';
import { pollUntilFinished } from './poll-until-finished.ts';

const userArgument = () => idArgument('user', 'user', 'rollcall users list --directory <directory>');

interface EraseOptions {
  yes?: boolean;
  wait: boolean;
}

/** The rights of people over their data. */
export function registerPersonalData(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'export',
    summary: 'Print all data about a user, as JSON Lines',
    arguments: [directoryArgument(), userArgument()],
    examples: [`rollcall users export ${sampleIds.directory} ${sampleIds.user} > user.jsonl`],
    action: exportUser,
  });
  add({
    name: 'erase',
    summary: 'Delete a user, and erase its personal data',
    arguments: [directoryArgument(), userArgument()],
    options: [new Option('--yes', 'do not ask for confirmation'), new Option('--no-wait', 'start the erasure without waiting for its end')],
    examples: [
      `rollcall users erase ${sampleIds.directory} ${sampleIds.user}`,
      `rollcall users erase ${sampleIds.directory} ${sampleIds.user} --yes --no-wait`,
    ],
    action: eraseUser,
  });
}

/** Page by page, so that an export of any size needs little memory. */
async function exportUser({ args: [directory, user], client, unwrap, print }: Context): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await client.users.export(directory!, user!, { cursor });
    for (const item of await unwrap(Promise.resolve(page))) print.jsonLine(item);
    cursor = page.error ? undefined : (page.next_cursor ?? undefined);
  } while (cursor !== undefined);
}

async function eraseUser(context: Context<EraseOptions>): Promise<void> {
  const {
    args: [directory, user],
    options,
    shell,
    client,
    unwrap,
    print,
    errorContext,
  } = context;
  if (!options.yes) await confirm(`Erase user ${user} of directory ${directory}, with its events?`, 'Nothing was erased.', shell);
  const started = await unwrap(client.users.erase(directory!, user!));
  const progress = createProgress(shell);
  const erasure = options.wait
    ? await pollUntilFinished({
        // Google's ID finds no user any more once it is deleted.
        read: () => client.users.getErasure(directory!, started.user_id),
        isFinished: ({ status }) => status === 'done',
        show: () => progress.show({ text: 'Erasing' }),
        progress,
        errorContext,
      })
    : started;
  return options.json ? print.json(erasure) : describe(erasure);

  function describe({ status, erased, finished_at: finishedAt, id }: Erasure): void {
    if (status === 'running') return print.line(`Erasure ${id} is in progress. It continues in the background.`);
    print.line(`Erased user ${user}.`);
    return print.fields([
      ['Erasure', id],
      ['Finished', shortTime(finishedAt)],
      ...Object.entries(erased).map(([kind, count]): [string, number] => [titles[kind as keyof typeof titles], count]),
    ]);
  }
}

const titles: Record<keyof Erasure['erased'], string> = {
  users: 'Users',
  memberships: 'Memberships',
  pending_members: 'Pending members',
  events: 'Events',
  undelivered_events: 'Undelivered events',
  documents: 'Documents',
  deliveries: 'Deliveries',
  requests: 'Requests',
};
