import { Option, type Command } from 'commander';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { printList, type PageOptions, listPages } from './list-pages.ts';
import {
  enumOption,
  timeOption,
  idArgument,
  pageOptions,
  sampleIds,
  directoryOption,
  productOption,
  tenantOption,
  withSample,
} from './options.ts';
import { UsageError } from './errors.ts';
import { registerPersonalData } from './personal-data.ts';

export interface SelectorOptions {
  tenant?: string;
  product?: string;
  directory?: string;
}

/** Selects one directory, or all directories of a tenant and product. */
export interface Selector {
  tenant?: string | undefined;
  product?: string | undefined;
  directory_id?: string | undefined;
}

export const selectorOptions = () => [tenantOption(), productOption(), directoryOption()];

export function toSelector({ options: { tenant, product, directory }, exampleFor }: ParsedCommand<SelectorOptions>): Selector {
  if (directory === undefined && (tenant === undefined || product === undefined))
    throw new UsageError(`Specify --directory, or --tenant and --product. Example: ${exampleFor()}`);
  return { tenant, product, directory_id: directory };
}

export function registerUsers(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the users of a tenant and product, or of one directory',
    options: [
      ...selectorOptions(),
      withSample('lovelace', new Option('--search <text>', 'only users with this in the name, user name, email address or external ID')),
      new Option('--email <address>', 'only users with this address'),
      new Option('--user-name <name>', 'only the user with this user name'),
      new Option('--idp-id <id>', 'only the user with this ID of the identity provider'),
      new Option('--group <id>', 'only direct members of this group'),
      enumOption('--state <state>', 'only users in this state', ['active', 'inactive']),
      timeOption('--updated-after <time>', 'only users that changed after this time, such as 2026-11-21T08:43:54Z or 2h'),
      ...pageOptions(),
    ],
    examples: [
      'rollcall users list --tenant acme --product crm',
      'rollcall users list --tenant acme --product crm --all --json',
      'rollcall users list --tenant acme --product crm --email ada@acme.example',
      'rollcall users list --tenant acme --product crm --user-name ada@acme.example',
      'rollcall users list --tenant acme --product crm --idp-id 00u1abcd',
      `rollcall users list --tenant acme --product crm --group ${sampleIds.group} --state inactive`,
    ],
    validate: toUserFilter,
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
  registerPersonalData(parent, select);
}

interface UserFilterOptions extends SelectorOptions {
  search?: string;
  email?: string;
  userName?: string;
  idpId?: string;
  group?: string;
  state?: 'active' | 'inactive';
  updatedAfter?: string;
}

function toUserFilter(parsed: ParsedCommand<UserFilterOptions>) {
  const { search, email, userName, idpId, group, state, updatedAfter } = parsed.options;
  return { ...toSelector(parsed), search, email, user_name: userName, idp_id: idpId, group_id: group, state, updated_after: updatedAfter };
}

function listUsers(context: Context<UserFilterOptions & PageOptions, ReturnType<typeof toUserFilter>>): Promise<void> {
  const { client, input } = context;
  return printList(context, {
    fetchPage: (page) => client.users.list({ ...input, ...page }),
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

const groupArgument = () => idArgument('group', 'group', 'rollcall groups list --directory <directory>');

export function registerGroups(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'list',
    summary: 'List the groups of a tenant and product, or of one directory',
    options: [
      ...selectorOptions(),
      new Option('--user <id>', 'only groups of which this user is a direct member'),
      new Option('--idp-id <id>', 'only the group with this ID of the identity provider'),
      ...pageOptions(),
    ],
    examples: [
      'rollcall groups list --tenant acme --product crm',
      'rollcall groups list --tenant acme --product crm --idp-id 00g1abcd',
      `rollcall groups list --tenant acme --product crm --user ${sampleIds.user}`,
    ],
    validate: toGroupFilter,
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

interface GroupFilterOptions extends SelectorOptions {
  user?: string;
  idpId?: string;
}

const toGroupFilter = (parsed: ParsedCommand<GroupFilterOptions>) => ({
  ...toSelector(parsed),
  user_id: parsed.options.user,
  idp_id: parsed.options.idpId,
});

function listGroups(context: Context<GroupFilterOptions & PageOptions, ReturnType<typeof toGroupFilter>>): Promise<void> {
  const { client, input } = context;
  return printList(context, {
    fetchPage: (page) => client.groups.list({ ...input, ...page }),
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
  const nested = await listPages(unwrap, (page) => client.groups.nestedGroups(id!, { ...input, ...page }), { all: true });
  return print.fields([
    ['Group', group.id],
    ['Name', group.name],
    ['Members', group.members?.length ?? 0],
    ...nested.map((inner, index): [string, string] => [index === 0 ? 'Nested groups' : '', `${inner.id}  ${inner.name}`]),
  ]);
}

function listMembers(context: ListContext): Promise<void> {
  const { args, client, input } = context;
  return printList(context, {
    fetchPage: (page) => client.groups.members(args[0]!, { ...input, ...page }),
    columns: [{ title: 'User', value: ({ user_id: user }) => user }],
    noun: 'members',
  });
}
