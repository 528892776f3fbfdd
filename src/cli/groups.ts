import type { Command } from 'commander';
import { createCommandAdder, type Select } from './command.ts';
import type { Context } from './context.ts';
import { listPages, printList, type PageOptions } from './list-pages.ts';
import { idArgument, pageOptions, sampleIds } from './options.ts';
import { selectorOptions, toSelector, type Selector, type SelectorOptions } from './selector.ts';
const groupArgument = () => idArgument('group', 'group', 'rollcall groups list --directory <directory>');

export function registerGroups(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the groups of a tenant and product, or of one directory',
    options: [...selectorOptions(), ...pageOptions()],
    examples: ['rollcall groups list --tenant acme --product crm'],
    validate: toSelector,
    action: listGroups,
  });
  add({
    name: 'show',
    summary: 'Show a group and its nested groups',
    arguments: [groupArgument()],
    options: selectorOptions(),
    examples: [`rollcall groups show ${sampleIds.group} --tenant acme --product crm`],
    validate: toSelector,
    action: showGroup,
  });
  add({
    name: 'members',
    summary: 'List the users in a group',
    arguments: [groupArgument()],
    options: [...selectorOptions(), ...pageOptions()],
    examples: [
      `rollcall groups members ${sampleIds.group} --tenant acme --product crm`,
      `rollcall groups members ${sampleIds.group} --tenant acme --product crm --all`,
    ],
    validate: toSelector,
    action: listMembers,
  });
}

type ListContext = Context<SelectorOptions & PageOptions, Selector>;

function listGroups(context: ListContext): Promise<void> {
  const { client, unwrap, input } = context;
  return printList(context, {
    fetchPage: (page) => unwrap(client.groups.list({ ...input, ...page })),
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Name', value: ({ name }) => name, mayShrink: true },
    ],
    noun: 'groups',
  });
}

async function showGroup({ args: [id], options, client, unwrap, input, print }: Context<SelectorOptions, Selector>): Promise<void> {
  const group = await unwrap(client.groups.get(id!, input));
  if (options.json) return print.json(group);
  const nested = await listPages((page) => unwrap(client.groups.nestedGroups(id!, { ...input, ...page })), { all: true });
  return print.fields([
    ['Group', group.id],
    ['Name', group.name],
    ['Members', group.members?.length ?? 0],
    ...nested.map((inner, index): [string, string] => [index === 0 ? 'Nested groups' : '', `${inner.id}  ${inner.name}`]),
  ]);
}

function listMembers(context: ListContext): Promise<void> {
  const { args, client, unwrap, input } = context;
  return printList(context, {
    fetchPage: (page) => unwrap(client.groups.members(args[0]!, { ...input, ...page })),
    columns: [{ title: 'User', value: ({ user_id: user }) => user }],
    noun: 'members',
  });
}
