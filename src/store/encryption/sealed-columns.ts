import { secretContext, type SecretColumn } from './secret-columns.ts';
import { stagedContext } from '../changes/staged-mutation-store.ts';

/** A column with sealed values, and the context that each seal is bound to. */
export interface SealedColumn {
  /** The name in reports. */
  kind: string;
  table: string;
  column: string;
  /** The primary key of the table. */
  key: { name: string; type: 'uuid' | 'text' | 'int' }[];
  type: 'text' | 'bytea';
  /** The columns from which `contextOf` derives the context. */
  contextColumns: string[];
  contextOf(row: Record<string, string>): string;
  /** Rows per transaction. */
  batchSize: number;
}

/** All columns with sealed values. A column that is missing here becomes unreadable when its key is retired. */
export const sealedColumns: SealedColumn[] = [
  secret('SCIM secrets', 'scim_secrets', 'secret', 'scim_secret'),
  secret('SCIM secrets (newest)', 'all_directories', 'scim_secret', 'scim_secret', 'id'),
  secret('webhook secrets', 'webhook_secrets', 'secret', 'webhook_secret'),
  secret('webhook addresses', 'webhook_endpoints', 'sealed_url', 'webhook_url'),
  {
    ...secret('webhook addresses (delivery log)', 'webhook_attempts', 'sealed_url', 'webhook_url'),
    key: [
      { name: 'batch_id', type: 'text' },
      { name: 'number', type: 'int' },
    ],
  },
  secret('Google access tokens', 'all_directories', 'google_access_token', 'google_access_token', 'id'),
  secret('Google refresh tokens', 'all_directories', 'google_refresh_token', 'google_refresh_token', 'id'),
  secret('Google service account keys', 'all_directories', 'google_service_account', 'google_service_account', 'id'),
  secret('links of users', 'all_directories', 'provider_users_link', 'provider_link', 'id'),
  secret('links of groups', 'all_directories', 'provider_groups_link', 'provider_link', 'id'),
  secret('links of users (runs)', 'sync_runs', 'users_link', 'provider_link'),
  secret('links of groups (runs)', 'sync_runs', 'groups_link', 'provider_link'),
  secret('authorization requests', 'authorization_requests', 'code_verifier', 'code_verifier'),
  { ...secret('setup links', 'setup_links', 'sealed', 'setup_link', 'id'), key: [{ name: 'id', type: 'text' }] },
  {
    kind: 'staged mutations',
    table: 'staged_mutations',
    column: 'sealed',
    key: ['directory_id', 'id'].map((name) => ({ name, type: 'uuid' })),
    type: 'bytea',
    contextColumns: ['directory_id', 'id'],
    contextOf: (row) => stagedContext({ directoryId: row['directory_id']!, id: row['id']! }),
    batchSize: 4,
  },
];

/** A secret column of a table whose primary key is `id`. */
function secret(kind: string, table: string, column: string, context: SecretColumn, directoryColumn = 'directory_id'): SealedColumn {
  return {
    kind,
    table,
    column,
    key: [{ name: 'id', type: 'uuid' }],
    type: 'text',
    contextColumns: [directoryColumn],
    contextOf: (row) => secretContext(row[directoryColumn]!, context),
    batchSize: 200,
  };
}

/** SQL for the ID of the key that sealed a value. A value begins with a version byte and the four bytes of the ID; text is base64url. */
export const keyIdSql = ({ column, type }: Pick<SealedColumn, 'column' | 'type'>): string =>
  type === 'bytea'
    ? `encode(substr(${column}, 2, 4), 'hex')`
    : `encode(substr(decode(translate(left(${column}, 8), '-_', '+/'), 'base64'), 2, 4), 'hex')`;
