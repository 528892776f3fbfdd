import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { UpdateDirectoryRequest } from '../client/index.ts';
import {
  type InactiveUsers,
  type OnDirectoryDelete,
  directoryDeletePolicies,
  inactiveUserPolicies,
} from '../directory/directories/directory.ts';
import type { ParsedCommand } from './connection.ts';
import { UsageError } from './errors.ts';
import { booleanOption, enumOption, fileOption, urlOption } from './options.ts';

/** Options of `directories create` and `directories update`. */
export interface DirectorySettings {
  name?: string;
  webhookUrl?: string;
  webhookSecret?: string;
  webhookLegacySignatures?: boolean;
  logWebhookEvents?: boolean;
  userStateEvents?: boolean;
  inactiveUsers?: InactiveUsers;
  onDirectoryDelete?: OnDirectoryDelete;
  /** Of an update. */
  confirm?: number;
  deactivated?: boolean;
  acceptScimSecret?: boolean;
  googleDomain?: string;
  googleAdminEmail?: string;
  googleServiceAccountKey?: string;
  googleGroups?: string;
  googleOrgUnits?: string;
  entraTenantId?: string;
  entraGroups?: string;
  entraAssignedOnly?: boolean;
}

export const directorySettingOptions = (): Option[] => [
  new Option('--name <name>', 'display name'),
  urlOption('--webhook-url <url>', 'URL that receives events; an empty value removes the webhook'),
  new Option('--webhook-secret <secret>', 'secret that signs webhooks (default: generated)'),
  booleanOption('--webhook-legacy-signatures <true|false>', 'also sign webhooks the way Ory Polis (BoxyHQ Jackson) does'),
  booleanOption('--log-webhook-events <true|false>', 'keep event bodies after delivery'),
  booleanOption('--user-state-events <true|false>', 'send user.deactivated or user.reactivated when active changes'),
  enumOption('--inactive-users <keep|delete>', 'whether a deactivation is a change of active, or user.deleted', inactiveUserPolicies),
  enumOption(
    '--on-directory-delete <silent|events>',
    'whether its deletion removes users and groups in events first',
    directoryDeletePolicies,
  ),
  booleanOption('--deactivated <true|false>', 'reject requests from the identity provider'),
  booleanOption('--accept-scim-secret <true|false>', 'accept the SCIM secret beside access tokens of OAuth clients'),
  new Option('--google-domain <domain>', 'Google: the domain to sync'),
  new Option('--google-admin-email <email>', 'Google: the administrator to impersonate instead of asking for consent'),
  fileOption('--google-service-account-key <file>', 'Google: key file of a service account for this directory only'),
  new Option('--google-groups <names>', 'Google: sync only these groups, comma-separated'),
  new Option('--google-org-units <paths>', 'Google: sync only these organizational units, comma-separated'),
  new Option('--entra-tenant-id <id>', 'Entra without SCIM: the tenant to sync'),
  new Option('--entra-groups <ids>', 'Entra without SCIM: sync only these groups, comma-separated'),
  booleanOption(
    '--entra-assigned-only <true|false>',
    'Entra without SCIM: sync only users and groups that are assigned to the application',
  ),
];

/** The API fields that the options set. */
export async function toDirectoryFields({ options }: Pick<ParsedCommand<DirectorySettings>, 'options'>): Promise<UpdateDirectoryRequest> {
  const fields = {
    name: options.name,
    webhook_url: options.webhookUrl,
    webhook_secret: options.webhookSecret,
    webhook_legacy_signatures: options.webhookLegacySignatures,
    log_webhook_events: options.logWebhookEvents,
    user_state_events: options.userStateEvents,
    inactive_users: options.inactiveUsers,
    on_directory_delete: options.onDirectoryDelete,
    confirm: options.confirm,
    deactivated: options.deactivated,
    accept_scim_secret: options.acceptScimSecret,
    google_domain: options.googleDomain,
    google_admin_email: options.googleAdminEmail,
    google_service_account_key: options.googleServiceAccountKey && (await readKeyFile(options.googleServiceAccountKey)),
    google_groups: toList(options.googleGroups),
    google_org_units: toList(options.googleOrgUnits),
    entra_tenant_id: options.entraTenantId,
    entra_groups: toList(options.entraGroups),
    entra_assigned_only: options.entraAssignedOnly,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export async function toChangedFields({ options, exampleFor }: ParsedCommand<DirectorySettings>): Promise<UpdateDirectoryRequest> {
  const fields = await toDirectoryFields({ options });
  if (Object.keys(fields).length === 0)
    throw new UsageError(`Specify at least one setting to change, such as --name or --webhook-url. Example: ${exampleFor()}`);
  return fields;
}

const toList = (text: string | undefined) => text?.split(',').flatMap((item) => item.trim() || []);

function readKeyFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `Cannot read --google-service-account-key ${file} (${error.code}). Example: --google-service-account-key key.json`,
    );
  });
}
