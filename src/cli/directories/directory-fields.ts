import { readFile } from 'node:fs/promises';
import type { UpdateDirectoryRequest } from '../../client/index.ts';
import type { Typed } from '../add-command.ts';
import { UsageError } from '../failures.ts';

/** Options that say what a directory is to be like. */
export interface DirectorySettings {
  name?: string;
  webhookUrl?: string;
  webhookSecret?: string;
  webhookLegacySignatures?: boolean;
  logWebhookEvents?: boolean;
  deactivated?: boolean;
  googleDomain?: string;
  googleAdminEmail?: string;
  googleServiceAccountKey?: string;
  googleGroups?: string;
  googleOrgUnits?: string;
}

/** The fields of the API that they stand for. */
export async function toDirectoryFields({ options }: Pick<Typed<DirectorySettings>, 'options'>): Promise<UpdateDirectoryRequest> {
  const fields = {
    name: options.name,
    webhook_url: options.webhookUrl,
    webhook_secret: options.webhookSecret,
    webhook_legacy_signatures: options.webhookLegacySignatures,
    log_webhook_events: options.logWebhookEvents,
    deactivated: options.deactivated,
    google_domain: options.googleDomain,
    google_admin_email: options.googleAdminEmail,
    google_service_account_key: options.googleServiceAccountKey && (await readKey(options.googleServiceAccountKey)),
    google_groups: toList(options.googleGroups),
    google_org_units: toList(options.googleOrgUnits),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export async function toChangedFields({ options, exampleFor }: Typed<DirectorySettings>): Promise<UpdateDirectoryRequest> {
  const fields = await toDirectoryFields({ options });
  if (Object.keys(fields).length === 0)
    throw new UsageError(
      `rollcall directories update wants something to change, such as --name or --webhook-url. Example: ${exampleFor()}`,
    );
  return fields;
}

const toList = (text: string | undefined) => text?.split(',').flatMap((item) => item.trim() || []);

function readKey(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--google-service-account-key ${file} can't be read (${error.code}). Example: --google-service-account-key key.json`,
    );
  });
}
