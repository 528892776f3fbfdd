import { Option, type Command } from 'commander';
import type { SetupLink } from '../client/index.ts';
import { directoryTypes, type DirectoryType } from '../directory/directories/directory.ts';
import { linkStates, setupLinkId } from '../directory/setup-links/setup-link.ts';
import { createCommandAdder, type Select } from './command.ts';
import type { Context } from './connection.ts';
import { printList, type PageOptions } from './list-pages.ts';
import { enumOption, integerOption, pageOptions, productOption, tenantOption, urlOption, withSample } from './options.ts';
import { shortTime } from './output/format.ts';
import type { Printer } from './output/printer.ts';

const requiredTenant = () => tenantOption().makeOptionMandatory();
const requiredProduct = () => productOption().makeOptionMandatory();

export function registerSetupLinks(parent: Command, select: Select): void {
  const add = createCommandAdder(parent, select);
  add({
    name: 'create',
    summary: "Create a link with which a customer's administrator sets up the directory",
    options: [
      requiredTenant(),
      requiredProduct(),
      urlOption('--webhook-url <url>', 'webhook address of the new directory').makeOptionMandatory(),
      withSample('whsec_…', new Option('--webhook-secret <secret>', 'secret that signs its webhooks').makeOptionMandatory()),
      withSample('Acme', new Option('--name <name>', 'name of the new directory')),
      enumOption('--provider <type>', 'the only identity provider that the link offers', directoryTypes),
      urlOption('--return-url <url>', 'where the administrator goes at the end'),
      integerOption('--expiry-days <n>', 'days that the link works (default: SETUP_LINK_EXPIRY_DAYS)', { min: 1, max: 365 }),
      withSample(
        'ada@acme.example',
        new Option('--admin-emails <emails>', 'people to whom you send the link, comma-separated; Rollcall sends no email'),
      ),
      withSample(
        'admin,member',
        new Option('--roles <roles>', 'roles that the administrator may give to groups, comma-separated, strongest first'),
      ),
      new Option('--revoke-on-completion', 'end the link when the administrator has finished'),
      new Option('--regenerate', 'create a new link even if there is a valid one, which then no longer works'),
    ],
    examples: [
      'rollcall setup-links create --tenant acme --product crm --webhook-url https://app.example/hooks --webhook-secret whsec_…',
      'rollcall setup-links create --tenant acme --product crm --webhook-url https://app.example/hooks --webhook-secret whsec_… --provider okta-scim-v2 --regenerate',
    ],
    action: createLink,
  });
  add({
    name: 'list',
    summary: 'List setup links, including expired ones',
    options: [
      tenantOption('only links of this tenant'),
      productOption('only links of this product'),
      withSample('acme', new Option('--search <text>', 'only links with this in the tenant, product or name')),
      enumOption('--state <state>', 'only links in this state', linkStates),
      ...pageOptions(),
    ],
    examples: ['rollcall setup-links list --product crm', 'rollcall setup-links list --state opened --search acme'],
    action: listLinks,
  });
  add({
    name: 'revoke',
    summary: 'Revoke the setup link of a tenant and product; directories that were set up with it stay',
    options: [requiredTenant(), requiredProduct()],
    examples: ['rollcall setup-links revoke --tenant acme --product crm'],
    action: async ({ options: { tenant, product, json }, client, unwrap, print }: Context<Owner>) => {
      await unwrap(client.setupLinks.revoke({ tenant, product }));
      if (json) print.json({ setupID: setupLinkId({ tenant, product }) });
      else print.line(`Revoked the setup link of ${tenant} / ${product}.`);
    },
  });
}

interface Owner {
  tenant: string;
  product: string;
}

interface ListFilter extends Partial<Owner> {
  search?: string;
  state?: (typeof linkStates)[number];
}

interface CreateOptions extends Owner {
  webhookUrl: string;
  webhookSecret: string;
  name?: string;
  provider?: DirectoryType;
  returnUrl?: string;
  expiryDays?: number;
  adminEmails?: string;
  roles?: string;
  revokeOnCompletion?: boolean;
  regenerate?: boolean;
}

async function createLink({ options, client, unwrap, print }: Context<CreateOptions>): Promise<void> {
  const { tenant, product, webhookUrl, webhookSecret, name, provider, returnUrl, expiryDays, adminEmails, roles, ...flags } = options;
  const link = await unwrap(
    client.setupLinks.create({
      tenant,
      product,
      webhook_url: webhookUrl,
      webhook_secret: webhookSecret,
      name,
      provider,
      return_url: returnUrl,
      expiryDays,
      admin_emails: adminEmails?.split(',').map((email) => email.trim()),
      roles: roles?.split(',').map((role) => role.trim()),
      revoke_on_completion: flags.revokeOnCompletion,
      regenerate: flags.regenerate,
    }),
  );
  printLink(link, print, options);
}

function printLink(link: SetupLink, print: Printer, { json }: { json?: boolean }): void {
  if (json) return print.json(link);
  print.fields([
    ['Link', link.url ?? 'not shown again: use --regenerate'],
    ['ID', link.setupID],
    ['Tenant', link.tenant],
    ['Product', link.product],
    ['Provider', link.provider ?? 'any'],
    ['State', stateOf(link)],
    ['Returns to', link.return_url],
  ]);
  print.note('\nAnyone who has the link can set up this directory. Send it only to the administrator.');
}

function listLinks(context: Context<PageOptions & ListFilter>): Promise<void> {
  const { client, options } = context;
  const { search, state } = options;
  return printList(context, {
    fetchPage: (page) => client.setupLinks.listAll({ tenant: options.tenant, product: options.product, search, state, ...page }),
    columns: [
      { title: 'Tenant', value: ({ tenant }) => tenant, mayShrink: true },
      { title: 'Product', value: ({ product }) => product, mayShrink: true },
      { title: 'Provider', value: ({ provider }) => provider ?? 'any' },
      { title: 'State', value: stateOf },
      { title: 'Created', value: ({ created_at: at }) => shortTime(at) },
      { title: 'ID', value: ({ setupID }) => setupID, wideOnly: true },
    ],
    noun: 'setup links',
  });
}

function stateOf({ validTill, opened_at: opened, completed_at: completed }: SetupLink): string {
  if (completed !== null) return `completed ${shortTime(completed)}`;
  if (validTill <= Date.now()) return 'expired';
  return opened === null ? `until ${shortTime(new Date(validTill).toISOString())}` : `opened ${shortTime(opened)}`;
}
