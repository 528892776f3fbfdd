import { Option, type Command } from 'commander';
import type { CreatedScimClient } from '../client/index.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { directoryArgument, expiryOption, idArgument, pageOptions, sampleIds, withSample } from './options.ts';
import { stateOf } from './output/credential-state.ts';
import { shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';

const clientArgument = () => idArgument('client', 'OAuth client', 'rollcall scim-clients list');

export function registerScimClients(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'create',
    summary: 'Create an OAuth client of a directory, and show its secret once',
    arguments: [directoryArgument()],
    options: [
      withSample('Entra', new Option('--name <name>', 'what the client is for')).makeOptionMandatory(),
      expiryOption('when the client expires, within three years (default: in 365 days)'),
    ],
    examples: [`rollcall scim-clients create ${sampleIds.directory} --name Entra --expires-at 2027-11-21T00:00:00Z`],
    action: createClient,
  });
  add({
    name: 'list',
    summary: 'List the OAuth clients of a directory, including revoked and expired ones',
    arguments: [directoryArgument()],
    options: pageOptions(),
    examples: [`rollcall scim-clients list ${sampleIds.directory}`, `rollcall scim-clients list ${sampleIds.directory} --all --json`],
    action: listClients,
  });
  add({
    name: 'revoke',
    summary: 'Revoke an OAuth client; every process rejects it and its access tokens within a second',
    arguments: [directoryArgument(), clientArgument()],
    examples: [`rollcall scim-clients revoke ${sampleIds.directory} ${sampleIds.scimClient}`],
    action: async ({ args: [directory, id], client, unwrap, print, options }) => {
      const revoked = await unwrap(client.scimClients.revoke(directory!, id!));
      if (options.json) return print.json(revoked);
      print.line(`Revoked OAuth client ${revoked.client_id} (${revoked.name}).`);
      for (const { message } of revoked.warnings ?? []) print.note(`Warning: ${message}`);
    },
  });
}

async function createClient(context: Context<{ name: string; expiresAt?: string }>): Promise<void> {
  const {
    args: [directory],
    options,
    client,
    unwrap,
    print,
  } = context;
  const created = await unwrap(client.scimClients.create(directory!, { name: options.name, expires_at: options.expiresAt }));
  if (options.json) return print.json(created);
  printClient(created, print);
  print.note(`\nStore the secret now: it cannot be shown again.`);
}

function listClients(context: Context<PageOptions>): Promise<void> {
  const {
    args: [directory],
    client,
  } = context;
  return printList(context, {
    fetchPage: (page) => client.scimClients.list(directory!, page),
    columns: [
      { title: 'Client ID', value: ({ client_id: id }) => id },
      { title: 'Name', value: ({ name }) => name, mayShrink: true },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at), wideOnly: true },
      { title: 'Last used', value: ({ last_used_at: at }) => shortTime(at) || 'never' },
      { title: 'State', value: stateOf },
    ],
    noun: 'OAuth clients',
  });
}

function printClient(client: CreatedScimClient, print: Printer): void {
  print.fields([
    ['Client ID', client.client_id],
    ['Client secret', client.client_secret],
    ['Token endpoint', client.token_endpoint],
    ['Name', client.name],
    ['State', stateOf(client)],
  ]);
}
