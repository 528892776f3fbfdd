import type { Command } from 'commander';
import { createCommandAdder, type Select } from './command.ts';
import type { Context } from './context.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { idArgument, pageOptions, sampleIds } from './options.ts';
import { selectorOptions, toSelector, type Selector, type SelectorOptions } from './selector.ts';

export function registerUsers(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the users of a tenant and product, or of one directory',
    options: [...selectorOptions(), ...pageOptions()],
    examples: ['rollcall users list --tenant acme --product crm', 'rollcall users list --tenant acme --product crm --all --json'],
    validate: toSelector,
    action: listUsers,
  });
  add({
    name: 'show',
    summary: 'Show a user',
    arguments: [idArgument('user', 'user', 'rollcall users list --directory <directory>')],
    options: selectorOptions(),
    examples: [`rollcall users show ${sampleIds.user} --tenant acme --product crm`],
    validate: toSelector,
    action: showUser,
  });
}

function listUsers(context: Context<SelectorOptions & PageOptions, Selector>): Promise<void> {
  const { client, unwrap, input } = context;
  return printList(context, {
    fetchPage: (page) => unwrap(client.users.list({ ...input, ...page })),
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Email', value: ({ email }) => email, mayShrink: true },
      { title: 'Name', value: ({ first_name: first, last_name: last }) => `${first} ${last}`.trim(), mayShrink: true },
      { title: 'Active', value: ({ active }) => (active ? 'yes' : 'no') },
    ],
    noun: 'users',
  });
}

async function showUser({ args: [id], options, client, unwrap, input, print }: Context<SelectorOptions, Selector>): Promise<void> {
  const user = await unwrap(client.users.get(id!, input));
  if (options.json) return print.json(user);
  print.fields([
    ['User', user.id],
    ['Email', user.email],
    ['First name', user.first_name],
    ['Last name', user.last_name],
    ['Active', user.active ? 'yes' : 'no'],
  ]);
  return print.note('Use --json to see all attributes from the identity provider.');
}
