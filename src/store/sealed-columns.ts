import { secretContext, type SecretColumn } from './secret-columns.ts';
import { stagedContext } from './staged-mutations.ts';

/** Where something sealed is stored, and what its seal is bound to. */
export interface SealedColumn {
  /** As a person calls it. */
  kind: string;
  table: string;
  column: string;
  /** Its primary key. */
  key: { name: string; type: 'uuid' | 'text' | 'int' }[];
  type: 'text' | 'bytea';
  /** The columns that the context is made of. */
  contextColumns: string[];
  contextOf(row: Record<string, string>): string;
  /** Rows of one transaction. */
  rowsAtOnce: number;
}

/** Every column that holds something sealed. What is not listed here is lost with the key that sealed it. */
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
  secret('authorization requests', 'authorization_requests', 'code_verifier', 'code_verifier'),
  {
    kind: 'staged mutations',
    table: 'staged_mutations',
    column: 'sealed',
    key: ['directory_id', 'id'].map((name) => ({ name, type: 'uuid' })),
    type: 'bytea',
    contextColumns: ['directory_id', 'id'],
    contextOf: (row) => stagedContext({ directoryId: row['directory_id']!, id: row['id']! }),
    rowsAtOnce: 4,
  },
];

/** A secret column of rows that have an id. */
function secret(kind: string, table: string, column: string, context: SecretColumn, directoryColumn = 'directory_id'): SealedColumn {
  return {
    kind,
    table,
    column,
    key: [{ name: 'id', type: 'uuid' }],
    type: 'text',
    contextColumns: [directoryColumn],
    contextOf: (row) => secretContext(row[directoryColumn]!, context),
    rowsAtOnce: 200,
  };
}

/** SQL for the id of the key that a value is sealed under; it begins with a version byte and four bytes of id, in base64url where it is text. */
export const keyIdSql = ({ column, type }: Pick<SealedColumn, 'column' | 'type'>): string =>
  type === 'bytea'
    ? `encode(substr(${column}, 2, 4), 'hex')`
    : `encode(substr(decode(translate(left(${column}, 8), '-_', '+/'), 'base64'), 2, 4), 'hex')`;
