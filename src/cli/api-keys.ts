import { Option, type Command } from 'commander';
import type { ApiKey, CreatedApiKey } from '../client/index.ts';
import { presetNames, scopes, type PresetName, type Scope } from '../access/scopes.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { UsageError } from './errors.ts';
import { printList, type PageOptions } from './list-pages.ts';
import {
  directoryOption,
  durationOption,
  enumListOption,
  enumOption,
  expiryOption,
  idArgument,
  pageOptions,
  productOption,
  sampleIds,
  tenantOption,
  withSample,
} from './options.ts';
import { stateOf } from './output/credential-state.ts';
import { shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';

const keyArgument = () => idArgument('key', 'API key', 'rollcall api-keys list');
const scopesOption = () => enumListOption('--scopes <scopes>', 'what the key may do, comma-separated', scopes);
const networksOption = () =>
  withSample(
    '203.0.113.0/24',
    new Option('--allowed-networks <cidrs>', 'networks that the key may be used from, comma-separated (default: all)'),
  );
const nameOption = () => withSample('billing', new Option('--name <name>', 'what the key is for'));

export function registerApiKeys(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'create',
    summary: 'Create an API key, and show it once',
    options: [
      nameOption().makeOptionMandatory(),
      scopesOption(),
      enumOption('--preset <preset>', 'a named list of scopes', presetNames).conflicts('scopes'),
      tenantOption('the only tenant that the key can access'),
      productOption('the only product that the key can access'),
      directoryOption('ID of the only directory that the key can access'),
      networksOption(),
      expiryOption('when the key expires (default: never)'),
    ],
    examples: [
      'rollcall api-keys create --name billing --scopes people:read,events:read --tenant acme',
      'rollcall api-keys create --name dashboard --preset read-only --expires-at 2027-11-21T00:00:00Z',
    ],
    validate: requireScopes,
    action: createKey,
  });
  add({
    name: 'list',
    summary: 'List API keys, including revoked ones',
    options: pageOptions(),
    examples: ['rollcall api-keys list', 'rollcall api-keys list --all --json'],
    action: listKeys,
  });
  add({
    name: 'show',
    summary: 'Show an API key, without its value',
    arguments: [keyArgument()],
    examples: [`rollcall api-keys show ${sampleIds.apiKey}`],
    action: async ({ args: [id], client, unwrap, print, options }) => printKey(await unwrap(client.apiKeys.get(id!)), print, options),
  });
  add({
    name: 'update',
    summary: 'Change the name, scopes, networks or expiry of an API key',
    arguments: [keyArgument()],
    options: [nameOption(), scopesOption(), networksOption(), expiryOption('when the key expires')],
    examples: [`rollcall api-keys update ${sampleIds.apiKey} --scopes people:read`],
    action: updateKey,
  });
  add({
    name: 'rotate',
    summary: 'Issue a new value of an API key; the previous one stays valid for a day, or for --overlap',
    arguments: [keyArgument()],
    options: [durationOption('--overlap <duration>', 'how long the previous value stays valid; 0 ends it immediately (default: 1d)')],
    examples: [`rollcall api-keys rotate ${sampleIds.apiKey} --overlap 2h`],
    action: rotateKey,
  });
  add({
    name: 'revoke',
    summary: 'Revoke an API key; every process rejects it within a second',
    arguments: [keyArgument()],
    examples: [`rollcall api-keys revoke ${sampleIds.apiKey}`],
    action: async ({ args: [id], client, unwrap, print, options }) => {
      const key = await unwrap(client.apiKeys.revoke(id!));
      if (options.json) print.json(key);
      else print.line(`Revoked API key ${key.id} (${key.name}).`);
    },
  });
}

interface CreateOptions {
  name: string;
  scopes?: string;
  preset?: PresetName;
  tenant?: string;
  product?: string;
  directory?: string;
  allowedNetworks?: string;
  expiresAt?: string;
}

function requireScopes({ options: { scopes: given, preset }, exampleFor }: ParsedCommand<CreateOptions>): undefined {
  if (given === undefined && preset === undefined) throw new UsageError(`Specify --scopes or --preset. Example: ${exampleFor('--scopes')}`);
}

async function createKey({ options, client, unwrap, print }: Context<CreateOptions>): Promise<void> {
  const { name, preset, tenant, product, directory, expiresAt } = options;
  const created = await unwrap(
    client.apiKeys.create({ name, preset, tenant, product, directory_id: directory, expires_at: expiresAt, ...toLists(options) }),
  );
  printCreatedKey(created, print, options);
}

interface UpdateOptions {
  name?: string;
  scopes?: string;
  allowedNetworks?: string;
  expiresAt?: string;
}

async function updateKey({ args: [id], options, client, unwrap, print }: Context<UpdateOptions>): Promise<void> {
  const { name, expiresAt } = options;
  printKey(await unwrap(client.apiKeys.update(id!, { name, expires_at: expiresAt, ...toLists(options) })), print, options);
}

const toList = (text: string | undefined) => text?.split(',').map((item) => item.trim());

const toLists = ({ scopes: given, allowedNetworks }: UpdateOptions) => ({
  scopes: toList(given) as Scope[] | undefined,
  allowed_networks: toList(allowedNetworks),
});

async function rotateKey({ args: [id], options, client, unwrap, print }: Context<{ overlap?: number }>): Promise<void> {
  const rotated = await unwrap(client.apiKeys.rotate(id!, { overlap_seconds: options.overlap }));
  printCreatedKey(rotated, print, options);
  if (!options.json) print.note(`Previous value: ${shortTime(rotated.previous_valid_until) || 'no longer valid'}`);
}

function listKeys(context: Context<PageOptions>): Promise<void> {
  const { client } = context;
  return printList(context, {
    fetchPage: (page) => client.apiKeys.list(page),
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Name', value: ({ name }) => name, mayShrink: true },
      { title: 'Prefix', value: ({ prefix }) => prefix, wideOnly: true },
      { title: 'Scopes', value: (key) => key.scopes.join(', '), mayShrink: true },
      { title: 'Only', value: describeNarrowing, mayShrink: true },
      { title: 'Last used', value: ({ last_used_at: at }) => shortTime(at) || 'never', wideOnly: true },
      { title: 'State', value: stateOf },
    ],
    noun: 'API keys',
  });
}

const describeNarrowing = ({ tenant, product, directory_id: directory }: ApiKey) =>
  [tenant, product, directory].filter(Boolean).join(' / ');

function printCreatedKey(key: CreatedApiKey, print: Printer, options: { json?: boolean }): void {
  printKey(key, print, options);
  if (!options.json) print.note(`\nStore the key now: it cannot be shown again.`);
}

function printKey(key: ApiKey & { key?: string }, print: Printer, { json }: { json?: boolean }): void {
  if (json) return print.json(key);
  return print.fields([
    ['Key', key.key],
    ['ID', key.id],
    ['Name', key.name],
    ['Prefix', key.prefix],
    ['Scopes', key.scopes.join(', ')],
    ['Only tenant', key.tenant],
    ['Only product', key.product],
    ['Only directory', key.directory_id],
    ['Only networks', key.allowed_networks?.join(', ')],
    ['State', stateOf(key)],
    ['Created', `${shortTime(key.created_at)} by ${key.created_by}`],
    ['Last used', shortTime(key.last_used_at) || 'never'],
  ]);
}
