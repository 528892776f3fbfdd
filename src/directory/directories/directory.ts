import type { Quotas } from '../quotas.ts';
import type { ProviderConnection } from '../sync/provider.ts';

const pushedTypes = ['azure-scim-v2', 'onelogin-scim-v2', 'okta-scim-v2', 'jumpcloud-scim-v2', 'generic-scim-v2'] as const;
export const pulledType = 'google';
export const directoryTypes = [...pushedTypes, pulledType] as const;
export type DirectoryType = (typeof directoryTypes)[number];

/** Directory types with the names that Polis shows. */
export const polisProviderNames = {
  'azure-scim-v2': 'Entra ID SCIM v2.0',
  'onelogin-scim-v2': 'OneLogin SCIM v2.0',
  'okta-scim-v2': 'Okta SCIM v2.0',
  'jumpcloud-scim-v2': 'JumpCloud v2.0',
  'generic-scim-v2': 'Generic SCIM v2.0',
  google: 'Google',
} as const satisfies Record<DirectoryType, string>;

/** One connection of one tenant and one product to an identity provider. */
export interface Directory {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  deactivated: boolean;
  logWebhookEvents: boolean;
  /** Whether a change of `active` has event types of its own. */
  userStateEvents: boolean;
  /** The identity provider's bearer token. A pulled directory has none. */
  scimSecret: string | undefined;
  /** Whether the secret is accepted beside access tokens of OAuth clients. */
  acceptsScimSecret: boolean;
  webhook: Webhook | undefined;
  /** Whether webhooks also carry signatures as Polis sends them; undefined: the deployment's default. */
  legacySignatures: boolean | undefined;
  google: GoogleConnection | undefined;
}

export interface Webhook {
  /** Undefined: the secret is kept until there is a URL. */
  url: string | undefined;
  secret: string;
}

interface GoogleConnection extends ProviderConnection {
  /** Why the identity provider rejects the authorization. */
  authorizationError: string | undefined;
  /** Increases with each change of the connection. */
  authorizationVersion: number;
}

/** Whether the connection has credentials that were not rejected. */
export const isAuthorized = ({ accessToken, refreshToken, adminEmail, authorizationError }: GoogleConnection) =>
  authorizationError === undefined && `${accessToken}${refreshToken}${adminEmail}` !== '';

export const emptyConnection: ProviderConnection = {
  domain: '',
  accessToken: '',
  refreshToken: '',
  accessTokenExpiresAt: undefined,
  adminEmail: '',
  serviceAccountKey: '',
  groups: [],
  orgUnits: [],
};

/** A connection with these values. Those that are not given are empty. */
export const newConnection = (given: Partial<ProviderConnection>): GoogleConnection => ({
  ...emptyConnection,
  ...given,
  authorizationError: undefined,
  authorizationVersion: 0,
});

export const defaultName = ({ tenant, product }: Pick<Directory, 'tenant' | 'product'>) => `scim-${tenant}-${product}`;

/** The fields to change. A `null` webhook removes the URL; events wait. */
export interface DirectoryChange {
  name?: string;
  deactivated?: boolean;
  acceptsScimSecret?: boolean;
  logWebhookEvents?: boolean;
  userStateEvents?: boolean;
  webhook?: Webhook | null;
  /** `null`: the deployment's default. */
  legacySignatures?: boolean | null;
  google?: Partial<ProviderConnection>;
  /** Replaces the directory's own quotas; `null` removes them, so that the defaults apply. */
  quotas?: Partial<Quotas> | null;
  /** Changes nothing if the authorization has changed since this version. */
  ifAuthorizationVersion?: number;
}
