import { Option, type Command } from 'commander';
import { createCommandAdder, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { directoryArgument, expiryOption, idArgument, pageOptions, sampleIds, withSample } from './options.ts';
import { stateOf } from './output/credential-state.ts';
import { shortTime } from './output/format.ts';

export function registerUploadTokens(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'create',
    summary: 'Create a token with which a job uploads the files of a directory, and show it once',
    arguments: [directoryArgument()],
    options: [
      withSample('HR', new Option('--name <name>', 'what the token is for')).makeOptionMandatory(),
      expiryOption('when the token expires, within three years (default: in 365 days)'),
    ],
    examples: [`rollcall upload-tokens create ${sampleIds.directory} --name HR --expires-at 2027-11-21T00:00:00Z`],
    action: createToken,
  });
  add({
    name: 'list',
    summary: 'List the upload tokens of a directory, also those that are revoked or expired',
    arguments: [directoryArgument()],
    options: pageOptions(),
    examples: [`rollcall upload-tokens list ${sampleIds.directory}`],
    action: listTokens,
  });
  add({
    name: 'revoke',
    summary: 'Revoke an upload token; it is rejected from now on',
    arguments: [directoryArgument(), idArgument('token', 'upload token', 'rollcall upload-tokens list')],
    examples: [`rollcall upload-tokens revoke ${sampleIds.directory} ${sampleIds.uploadToken}`],
    action: async ({ args: [directory, id], client, unwrap, print, options }) => {
      const revoked = await unwrap(client.uploadTokens.revoke(directory!, id!));
      if (options.json) return print.json(revoked);
      print.line(`Revoked upload token ${revoked.id} (${revoked.name}).`);
    },
  });
}

async function createToken(context: Context<{ name: string; expiresAt?: string }>): Promise<void> {
  const {
    args: [directory],
    options,
    client,
    unwrap,
    print,
  } = context;
  const created = await unwrap(client.uploadTokens.create(directory!, { name: options.name, expires_at: options.expiresAt }));
  if (options.json) return print.json(created);
  print.fields([
    ['ID', created.id],
    ['Token', created.token],
    ['Upload endpoint', created.upload_endpoint],
    ['Name', created.name],
    ['State', stateOf(created)],
  ]);
  print.note(`\nStore the token now: it cannot be shown again.`);
}

function listTokens(context: Context<PageOptions>): Promise<void> {
  const {
    args: [directory],
    client,
  } = context;
  return printList(context, {
    fetchPage: (page) => client.uploadTokens.list(directory!, page),
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Name', value: ({ name }) => name, mayShrink: true },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at), wideOnly: true },
      { title: 'Last used', value: ({ last_used_at: at }) => shortTime(at) || 'never' },
      { title: 'State', value: stateOf },
    ],
    noun: 'upload tokens',
  });
}
