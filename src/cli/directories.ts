import { Option, type Command } from 'commander';
import { directoryTypes } from '../directory/directory.ts';
import { addCommand, type Choose, type Typed } from './add-command.ts';
import {
  address,
  directoryArgument,
  duration,
  isFile,
  pageOptions,
  productOption,
  tenantOption,
  time,
  choice,
  yesOrNo,
} from './options.ts';
import { toChangedFields, toDirectoryFields } from './directories/directory-fields.ts';
import { examples } from './example-ids.ts';
import { UsageError } from './failures.ts';

const settings = (): Option[] => [
  new Option('--name <name>', 'what it is called'),
  address('--webhook-url <address>', 'where its events go; empty takes the webhook away'),
  new Option('--webhook-secret <secret>', 'what signs them; one is made without'),
  yesOrNo('--webhook-legacy-signatures <true|false>', "sign in the ancestor's way, too"),
  yesOrNo('--log-webhook-events <true|false>', 'keep what was sent to the webhook'),
  yesOrNo('--deactivated <true|false>', 'refuse what its provider pushes'),
  new Option('--google-domain <domain>', 'of a google directory: its domain'),
  new Option('--google-admin-email <address>', 'of a google directory: the administrator to act for, instead of a consent'),
  isFile(new Option('--google-service-account-key <file>', 'of a google directory: key file of a service account of its own')),
  new Option('--google-groups <names>', 'of a google directory: only these groups, by comma'),
  new Option('--google-org-units <paths>', 'of a google directory: only these organisational units, by comma'),
];
const showSecrets = () => new Option('--show-secrets', 'show secrets instead of hiding them');

export function fillDirectories(group: Command, choose: Choose): void {
  addCommand(
    group,
    {
      name: 'create',
      summary: 'Creates a directory, and shows what its provider is to be given',
      options: [
        tenantOption().makeOptionMandatory(),
        productOption().makeOptionMandatory(),
        choice('--type <type>', 'its identity provider; generic-scim-v2 if nothing is said', directoryTypes),
        ...settings(),
      ],
      examples: [
        'rollcall directories create --tenant acme --product crm --type okta-scim-v2',
        'rollcall directories create --tenant acme --product crm --webhook-url https://app.example/hooks --json',
        'rollcall directories create --tenant acme --product crm --type google --google-domain acme.example',
      ],
      judge: toDirectoryFields,
      load: async () => (await import('./directories/create-directory.ts')).createDirectory,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'list',
      summary: 'Lists all directories, those of a product, or of one tenant in it',
      options: [
        tenantOption('your customer, with --product'),
        productOption('your application; without it those of all'),
        ...pageOptions(),
      ],
      examples: [
        'rollcall directories list',
        'rollcall directories list --tenant acme --product crm',
        'rollcall directories list --product crm --all --json',
      ],
      judge: requireProduct,
      load: async () => (await import('./directories/list-directories.ts')).listDirectories,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'show',
      summary: 'Shows a directory, and whether it is well',
      arguments: [directoryArgument()],
      options: [showSecrets()],
      examples: [`rollcall directories show ${examples.directory}`],
      load: async () => (await import('./directories/show-directory.ts')).showDirectory,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'update',
      summary: 'Changes what is given',
      arguments: [directoryArgument()],
      options: [...settings(), showSecrets()],
      examples: [
        `rollcall directories update ${examples.directory} --webhook-url https://app.example/hooks`,
        `rollcall directories update ${examples.directory} --deactivated true`,
      ],
      judge: toChangedFields,
      load: async () => (await import('./directories/update-directory.ts')).updateDirectory,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'delete',
      summary: 'Deletes a directory with its users, groups and events',
      arguments: [directoryArgument()],
      options: [new Option('--yes', 'do not ask')],
      examples: [`rollcall directories delete ${examples.directory}`, `rollcall directories delete ${examples.directory} --yes`],
      load: async () => (await import('./directories/delete-directory.ts')).deleteDirectory,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'rotate-secret',
      summary: 'Gives it a new SCIM secret; the former one stays valid for a while',
      arguments: [directoryArgument()],
      options: [
        new Option('--webhook', 'the secret that signs webhooks instead'),
        new Option('--secret <secret>', 'this one; one is made without'),
        duration('--overlap <time>', 'how long the former one stays valid: 1d if nothing is said, 0 ends it at once'),
        time('--expires-at <time>', 'when the new one ends, like 2027-11-21T00:00:00Z', { sample: '2027-11-21T00:00:00Z' }).conflicts(
          'webhook',
        ),
      ],
      examples: [
        `rollcall directories rotate-secret ${examples.directory} --overlap 7d`,
        `rollcall directories rotate-secret ${examples.directory} --webhook`,
      ],
      load: async () => (await import('./directories/rotate-secret.ts')).rotateSecret,
    },
    choose,
  );
  addCommand(
    group,
    {
      name: 'requests',
      summary: 'Shows what the provider really sent, and what it was answered',
      arguments: [directoryArgument()],
      options: pageOptions(),
      examples: [`rollcall directories requests ${examples.directory}`, `rollcall directories requests ${examples.directory} --limit 20`],
      load: async () => (await import('./directories/list-requests.ts')).listRequests,
    },
    choose,
  );
}

function requireProduct({ options: { tenant, product }, exampleFor }: Typed<{ tenant?: string; product?: string }>): undefined {
  if (tenant !== undefined && product === undefined)
    throw new UsageError(`rollcall directories list wants --product. Example: ${exampleFor('--tenant')}`);
}
