import type { Knex } from 'knex';
import {
  isPulledType,
  type Directory,
  type DirectoryChange,
  type DirectoryType,
  type InactiveUsers,
  type OnDirectoryDelete,
} from '../../directory/directories/directory.ts';
import { type SecretColumns, openAddress } from '../encryption/secret-columns.ts';
import { toConnectionColumns, toConnection, type ConnectionColumns } from '../syncs/connection-columns.ts';
import { toQuotaColumn } from './quotas.ts';

export interface DirectoryRow extends ConnectionColumns {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  deactivated: boolean;
  accept_scim_secret: boolean;
  log_webhook_events: boolean;
  user_state_events: boolean;
  inactive_users: InactiveUsers;
  inactive_users_upto: string | null;
  revision: number;
  on_directory_delete: OnDirectoryDelete;
  removing_at: Date | null;
  scim_secret: string | null;
  google_authorization_error: string | null;
  provider_compared_at: Date | null;
  google_authorization_version: number;
  created_at: Date;
  updated_at: Date;
  webhook_url: string | null;
  webhook_sealed_url: string | null;
  webhook_secret: string | null;
  webhook_legacy_signatures: boolean | null;
}

export const selectDirectories = (db: Knex) =>
  db('directories as d')
    .join('webhook_endpoints as e', 'e.directory_id', 'd.id')
    .select<DirectoryRow[]>(
      'd.*',
      'e.url as webhook_url',
      'e.sealed_url as webhook_sealed_url',
      'e.legacy_signatures as webhook_legacy_signatures',
      newestWebhookSecret(db),
    );

const newestWebhookSecret = (db: Knex) =>
  db('webhook_secrets as s')
    .whereRaw('s.directory_id = d.id and s.endpoint_id = e.id')
    .orderBy('s.created_at', 'desc')
    .limit(1)
    .select('s.secret')
    .as('webhook_secret');

export async function getDirectory(db: Knex, secrets: SecretColumns, id: string): Promise<Directory | undefined> {
  const [row] = await selectDirectories(db).where({ 'd.id': id });
  return row && toDirectory(row, secrets);
}

export function toColumns(
  id: string,
  {
    name,
    deactivated,
    acceptsScimSecret,
    logWebhookEvents,
    userStateEvents,
    inactiveUsers,
    onDirectoryDelete,
    connection,
    quotas,
  }: Omit<DirectoryChange, 'webhook' | 'connection' | 'legacySignatures' | 'confirmedEvents'> & {
    connection?: DirectoryChange['connection'] | undefined;
  },
  secrets: SecretColumns,
) {
  return {
    ...(name !== undefined && { name }),
    ...(deactivated !== undefined && { deactivated }),
    ...(acceptsScimSecret !== undefined && { accept_scim_secret: acceptsScimSecret }),
    ...(logWebhookEvents !== undefined && { log_webhook_events: logWebhookEvents }),
    ...(userStateEvents !== undefined && { user_state_events: userStateEvents }),
    ...(inactiveUsers !== undefined && { inactive_users: inactiveUsers }),
    ...(onDirectoryDelete !== undefined && { on_directory_delete: onDirectoryDelete }),
    ...(connection && toConnectionColumns(id, connection, secrets)),
    ...(quotas !== undefined && { quotas: quotas === null ? null : JSON.stringify(toQuotaColumn(quotas)) }),
  };
}

export function toDirectory(row: DirectoryRow, secrets: SecretColumns): Directory {
  const open = (column: Parameters<SecretColumns['open']>[1], sealed: string | null) =>
    sealed === null ? undefined : secrets.open(row.id, column, sealed);
  const webhookSecret = open('webhook_secret', row.webhook_secret);
  const webhookUrl = openAddress(secrets, row.id, { url: row.webhook_url, sealed_url: row.webhook_sealed_url });
  return {
    id: row.id,
    name: row.name,
    tenant: row.tenant,
    product: row.product,
    type: row.type,
    deactivated: row.deactivated,
    logWebhookEvents: row.log_webhook_events,
    userStateEvents: row.user_state_events,
    inactiveUsers: row.inactive_users,
    isChangingInactiveUsers: row.inactive_users_upto !== null,
    onDirectoryDelete: row.on_directory_delete,
    removingAt: row.removing_at ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    scimSecret: open('scim_secret', row.scim_secret),
    acceptsScimSecret: row.accept_scim_secret,
    legacySignatures: row.webhook_legacy_signatures ?? undefined,
    webhook: webhookUrl === null && webhookSecret === undefined ? undefined : { url: webhookUrl ?? undefined, secret: webhookSecret ?? '' },
    connection: isPulledType(row.type)
      ? {
          ...toConnection(row, secrets),
          authorizationError: row.google_authorization_error ?? undefined,
          wasRead: row.provider_compared_at !== null,
          authorizationVersion: row.google_authorization_version,
        }
      : undefined,
  };
}
