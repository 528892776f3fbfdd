import type { ProviderConnection } from '../../directory/sync/provider.ts';
import type { SecretColumns } from '../encryption/secret-columns.ts';

/** The columns of a pulled directory's connection. */
export interface ConnectionColumns {
  google_domain: string | null;
  google_access_token: string | null;
  google_refresh_token: string | null;
  google_token_expires_at: Date | null;
  google_admin_email: string | null;
  google_service_account: string | null;
  google_groups: string[];
  google_org_units: string[];
  provider_account: string | null;
  provider_assigned_only: boolean;
  provider_upload: string | null;
}

export function toConnection(row: ConnectionColumns & { id: string }, secrets: SecretColumns): ProviderConnection {
  const open = (column: Parameters<SecretColumns['open']>[1], sealed: string | null) =>
    sealed === null ? '' : secrets.open(row.id, column, sealed);
  return {
    domain: row.google_domain ?? '',
    accessToken: open('google_access_token', row.google_access_token),
    refreshToken: open('google_refresh_token', row.google_refresh_token),
    accessTokenExpiresAt: row.google_token_expires_at ?? undefined,
    adminEmail: row.google_admin_email ?? '',
    serviceAccountKey: open('google_service_account', row.google_service_account),
    groups: row.google_groups,
    orgUnits: row.google_org_units,
    account: row.provider_account ?? '',
    assignedOnly: row.provider_assigned_only,
    upload: row.provider_upload === null ? undefined : { directoryId: row.id, setId: row.provider_upload },
  };
}

export function toConnectionColumns(id: string, connection: Partial<ProviderConnection>, secrets: SecretColumns) {
  const {
    domain,
    accessToken,
    refreshToken,
    accessTokenExpiresAt,
    adminEmail,
    serviceAccountKey,
    groups,
    orgUnits,
    account,
    assignedOnly,
  } = connection;
  const seal = (column: Parameters<SecretColumns['seal']>[1], plain: string) => (plain === '' ? null : secrets.seal(id, column, plain));
  return {
    ...(accessToken !== undefined && {
      google_access_token: seal('google_access_token', accessToken),
      google_token_expires_at: accessTokenExpiresAt ?? null,
    }),
    ...(refreshToken !== undefined && { google_refresh_token: seal('google_refresh_token', refreshToken) }),
    ...(adminEmail !== undefined && { google_admin_email: adminEmail === '' ? null : adminEmail }),
    ...(serviceAccountKey !== undefined && { google_service_account: seal('google_service_account', serviceAccountKey) }),
    ...(domain !== undefined && { google_domain: domain }),
    ...(groups !== undefined && { google_groups: JSON.stringify(groups) }),
    ...(orgUnits !== undefined && { google_org_units: JSON.stringify(orgUnits) }),
    ...(account !== undefined && { provider_account: account === '' ? null : account, provider_compared_at: null }),
    ...(assignedOnly !== undefined && { provider_assigned_only: assignedOnly }),
  };
}
