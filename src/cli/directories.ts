import { Option, type Command } from 'commander';
import type { RecordedRequest, RotatedScimSecret, RotatedWebhookSecret, UpdateDirectoryRequest, Warning } from '../client/index.ts';
import { directoryTypes, type DirectoryType } from '../directory/directories/directory.ts';
import { type HealthStatus, healthStatuses } from '../directory/health/health-status.ts';
import { toDisplayAddress } from '../directory/delivery/webhook-settings.ts';
import { suggest } from '../shared/suggest.ts';
import { createCommandAdder, type Select } from './command.ts';
import { confirm } from './confirm.ts';
import type { Context, ParsedCommand } from './connection.ts';
import { directorySettingOptions, toChangedFields, toDirectoryFields, type DirectorySettings } from './directory-settings.ts';
import { UsageError } from './errors.ts';
import { printList, type PageOptions } from './list-pages.ts';
import {
  directoryArgument,
  durationOption,
  enumOption,
  integerOption,
  pageOptions,
  productOption,
  sampleIds,
  tenantOption,
  timeOption,
  wideOption,
  withSample,
} from './options.ts';
import { hideSecrets, printDirectory, printHealth } from './output/directory.ts';
import { pluralize, shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';

const showSecretsOption = () => new Option('--show-secrets', 'show secrets instead of hiding them');

export function registerDirectories(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'create',
    summary: 'Create a directory, and show its SCIM endpoint and secret',
    options: [
      tenantOption().makeOptionMandatory(),
      productOption().makeOptionMandatory(),
      enumOption('--type <type>', 'identity provider (default: generic-scim-v2)', directoryTypes),
      ...directorySettingOptions(),
    ],
    examples: [
      'rollcall directories create --tenant acme --product crm --type okta-scim-v2',
      'rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
      'rollcall directories create --tenant acme --product crm --type google --google-domain acme.example',
    ],
    validate: toDirectoryFields,
    action: createDirectory,
  });
  add({
    name: 'list',
    summary: 'List all directories, those of a product, or those of a tenant and product',
    options: [
      tenantOption('tenant (your customer); requires --product'),
      productOption(),
      enumOption('--health <health>', 'only directories with this health', healthStatuses),
      new Option(
        '--unhealthy',
        'only directories that need attention: failing, disabled, not authorized, to be confirmed, paused or stale',
      ).conflicts('health'),
      showSecretsOption(),
      ...pageOptions(),
    ],
    examples: [
      'rollcall directories list',
      'rollcall directories list --tenant acme --product crm',
      'rollcall directories list --product crm --all --json',
      'rollcall directories list --unhealthy',
      'rollcall directories list --health failing',
    ],
    validate: requireProduct,
    action: listDirectories,
  });
  add({
    name: 'show',
    summary: 'Show a directory and its health',
    arguments: [directoryArgument()],
    options: [showSecretsOption(), wideOption()],
    examples: [`rollcall directories show ${sampleIds.directory}`],
    action: showDirectory,
  });
  add({
    name: 'update',
    summary: 'Change the settings of a directory',
    arguments: [directoryArgument()],
    options: [
      ...directorySettingOptions(),
      integerOption('--confirm <events>', 'how many events a change of --inactive-users may send'),
      showSecretsOption(),
    ],
    examples: [
      `rollcall directories update ${sampleIds.directory} --webhook-url https://app.example/hooks`,
      `rollcall directories update ${sampleIds.directory} --deactivated true`,
    ],
    validate: toChangedFields,
    action: updateDirectory,
  });
  add({
    name: 'delete',
    summary: 'Delete a directory with its users, groups and events',
    arguments: [directoryArgument()],
    options: [
      new Option('--yes', 'do not ask for confirmation'),
      integerOption('--confirm <events>', 'how many events the deletion may send, with --on-directory-delete events'),
      new Option('--force', 'delete it at once, with events that are not delivered'),
    ],
    examples: [
      `rollcall directories delete ${sampleIds.directory}`,
      `rollcall directories delete ${sampleIds.directory} --yes`,
      `rollcall directories delete ${sampleIds.directory} --yes --confirm 1825`,
    ],
    action: deleteDirectory,
  });
  add({
    name: 'rotate-secret',
    summary: 'Issue a new SCIM or webhook secret; the previous one stays valid for a day, or for --overlap',
    arguments: [directoryArgument()],
    options: [
      new Option('--webhook', 'rotate the webhook secret instead of the SCIM secret'),
      new Option('--secret <secret>', 'the new secret (default: generated)'),
      durationOption('--overlap <duration>', 'how long the previous secret stays valid; 0 revokes it immediately (default: 1d)'),
      timeOption('--expires-at <time>', 'when the new SCIM secret expires (default: never)', {
        sample: '2027-11-21T00:00:00Z',
      }).conflicts('webhook'),
    ],
    examples: [
      `rollcall directories rotate-secret ${sampleIds.directory} --overlap 7d`,
      `rollcall directories rotate-secret ${sampleIds.directory} --webhook`,
    ],
    action: rotateSecret,
  });
  add({
    name: 'requests',
    summary: 'List the last requests from the identity provider, with their responses',
    arguments: [directoryArgument()],
    options: [
      withSample(
        'ada@acme.example',
        new Option('--user <name>', 'only requests about the user with this ID, user name, email address or external ID'),
      ),
      ...pageOptions(),
    ],
    examples: [
      `rollcall directories requests ${sampleIds.directory}`,
      `rollcall directories requests ${sampleIds.directory} --user ada@acme.example`,
    ],
    action: listRequests,
  });
}

type CreateContext = Context<DirectorySettings & { tenant: string; product: string; type?: DirectoryType }, UpdateDirectoryRequest>;

async function createDirectory({ options, client, unwrap, input: fields, print }: CreateContext): Promise<void> {
  const { tenant, product, type } = options;
  const directory = await unwrap(client.directories.create({ ...fields, tenant, product, type }));
  printWarnings(print, directory.warnings);
  if (options.json) return print.json(directory);
  printDirectory(print, directory, { showSecrets: true });
  return directory.scim.endpoint ? print.note('\nConfigure the identity provider with this SCIM endpoint and secret.') : undefined;
}

interface ListOptions extends PageOptions {
  tenant?: string;
  product?: string;
  health?: HealthStatus;
  unhealthy?: boolean;
  showSecrets?: boolean;
}

function requireProduct({ options: { tenant, product }, exampleFor }: ParsedCommand<ListOptions>): undefined {
  if (tenant !== undefined && product === undefined)
    throw new UsageError(`--tenant requires --product. Example: ${exampleFor('--tenant')}`);
}

function listDirectories(context: Context<ListOptions>): Promise<void> {
  const {
    options: { tenant, product, health, unhealthy, showSecrets },
    client,
  } = context;
  const among = { health: unhealthy ? ('unhealthy' as const) : health };
  return printList(context, {
    fetchPage: (page) =>
      product === undefined
        ? client.directories.listAll({ ...among, ...page })
        : tenant === undefined
          ? client.directories.listOfProduct({ product, ...among, ...page })
          : client.directories.list({ tenant, product, ...among, ...page }),
    show: (found) => (showSecrets ? found : hideSecrets(found)),
    columns: [
      { title: 'ID', value: ({ id }) => id },
      { title: 'Tenant', value: (one) => one.tenant, mayShrink: true, wideOnly: tenant !== undefined },
      { title: 'Product', value: (one) => one.product, mayShrink: true, wideOnly: product !== undefined },
      { title: 'Name', value: ({ name }) => name, mayShrink: true, wideOnly: product === undefined },
      { title: 'Type', value: ({ type }) => type, mayShrink: true, wideOnly: true },
      { title: 'Health', value: (one) => one.health.status },
      { title: 'Deactivated', value: ({ deactivated }) => (deactivated ? 'yes' : 'no'), wideOnly: true },
      { title: 'Webhook', value: ({ webhook }) => toDisplayAddress(webhook.endpoint) || 'none', mayShrink: true, wideOnly: true },
    ],
    noun: 'directories',
  });
}

async function showDirectory({ args: [id], options, client, unwrap, print }: Context<{ showSecrets?: boolean }>): Promise<void> {
  const directory = await unwrap(client.directories.get(id!));
  printWarnings(print, directory.warnings);
  if (options.json) return print.json(options.showSecrets ? directory : hideSecrets(directory));
  printDirectory(print, directory, { showSecrets: options.showSecrets === true });
  return printHealth(print, directory, { wide: options.wide });
}

type UpdateContext = Context<DirectorySettings & { showSecrets?: boolean }, UpdateDirectoryRequest>;

async function updateDirectory({ args: [id], options, client, unwrap, input: fields, print }: UpdateContext): Promise<void> {
  const directory = await unwrap(client.directories.update(id!, fields));
  printWarnings(print, directory.warnings);
  if (options.json) return print.json(options.showSecrets ? directory : hideSecrets(directory));
  return printDirectory(print, directory, { showSecrets: options.showSecrets === true });
}

interface DeleteOptions {
  yes?: boolean;
  confirm?: number;
  force?: boolean;
}

async function deleteDirectory({ args: [id], options, shell, client, unwrap, print }: Context<DeleteOptions>): Promise<void> {
  if (!options.yes) {
    const { name, tenant, product, health } = await unwrap(client.directories.get(id!));
    const content = `${pluralize(health.users, 'user')}, ${pluralize(health.groups, 'group')}`;
    await confirm(`Delete ${name} (${tenant}/${product}, ${content})?`, 'Nothing was deleted.', shell);
  }
  const deleted = await unwrap(client.directories.delete(id!, { confirm: options.confirm, force: options.force ? 'true' : undefined }));
  if (options.json) print.json(deleted);
  else if (deleted.state)
    print.line(`Deactivated directory ${id}. It is deleted once its events are delivered; --force deletes it at once.`);
  else print.line(`Deleted directory ${id}. Its data is being removed in the background.`);
}

interface RotateOptions {
  webhook?: boolean;
  secret?: string;
  overlap?: number;
  expiresAt?: string;
}

async function rotateSecret({ args: [id], options, client, unwrap, print }: Context<RotateOptions>): Promise<void> {
  const { webhook, secret, overlap, expiresAt } = options;
  const request = { secret, overlap_seconds: overlap };
  const rotated: RotatedWebhookSecret & Partial<RotatedScimSecret> = webhook
    ? await unwrap(client.webhooks.rotateSecret(id!, request))
    : await unwrap(client.directories.rotateScimSecret(id!, { ...request, expires_at: expiresAt }));
  printWarnings(print, rotated.warnings);
  if (options.json) return print.json(rotated);
  const previousValidUntil = shortTime(rotated.previous_valid_until);
  return print.fields([
    [webhook ? 'New webhook secret' : 'New SCIM secret', rotated.secret],
    ['Valid until', shortTime(rotated.expires_at)],
    previousValidUntil ? ['Previous secret valid until', previousValidUntil] : ['Previous secret', 'revoked'],
  ]);
}

function printWarnings(print: Printer, warnings: Warning[] = []): void {
  for (const { message } of warnings) print.note(`Warning: ${message}`);
}

function listRequests(context: Context<PageOptions & { user?: string }>): Promise<void> {
  const { args, client, options } = context;
  return printList(context, {
    fetchPage: (page) => client.directories.requests(args[0]!, { ...page, user: options.user }),
    columns: [
      { title: 'Time', value: ({ at }) => shortTime(at) },
      { title: 'Method', value: ({ method }) => method },
      { title: 'Path', value: ({ path }) => path, mayShrink: true },
      { title: 'Status', value: ({ status }) => status, alignRight: true },
      { title: 'ms', value: ({ duration_ms: ms }) => Math.round(ms), alignRight: true, wideOnly: true },
      { title: 'Detail', value: describeRecordedRequest, mayShrink: true },
    ],
    noun: 'requests',
  });
}

/** The error; without one, attributes that may be misspelled. */
const describeRecordedRequest = ({ detail, unknown_attributes: unknown }: RecordedRequest): string | null =>
  detail ?? unknown.map(({ name, suggestion }) => `Unknown attribute ${name}.${suggest(suggestion ?? undefined)}`).join(' ');
