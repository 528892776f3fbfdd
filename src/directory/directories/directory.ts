import type { Quotas } from '../quotas.ts';
import type { ProviderConnection } from '../sync/provider.ts';

const pushedTypes = ['azure-scim-v2', 'onelogin-scim-v2', 'okta-scim-v2', 'jumpcloud-scim-v2', 'generic-scim-v2'] as const;
/** Directories that Rollcall reads. Each has a folder below `src/providers/`. */
export const pulledTypes = ['google', 'entra', 'csv'] as const;
export type PulledType = (typeof pulledTypes)[number];
/** Those that are read at intervals. Files come when they come. */
export const scheduledTypes = ['google', 'entra'] as const satisfies PulledType[];
export const isScheduledType = (type: DirectoryType): boolean => (scheduledTypes as readonly string[]).includes(type);
export const directoryTypes = [...pushedTypes, ...pulledTypes] as const;
export type DirectoryType = (typeof directoryTypes)[number];

export const isPulledType = (type: DirectoryType): type is PulledType => (pulledTypes as readonly string[]).includes(type);
/** For messages. */
export const anyScheduledType = scheduledTypes.join(' or ');
export const anyPulledType = `${pulledTypes.slice(0, -1).join(', ')} or ${pulledTypes.at(-1)}`;

/** With `delete`, a deactivation emits what a deletion does, a reactivation what a creation does, and changes in between emit nothing. */
export const inactiveUserPolicies = ['keep', 'delete'] as const;
export type InactiveUsers = (typeof inactiveUserPolicies)[number];

/** Whether the deletion of a directory emits the removals of its users and groups first. */
export const directoryDeletePolicies = ['silent', 'events'] as const;
export type OnDirectoryDelete = (typeof directoryDeletePolicies)[number];

export interface DirectoryRemoval {
  /** How many events the deletion may send, which its caller has confirmed. */
  confirmed?: number | 'all' | undefined;
  /** Without the events, or without waiting for their delivery. */
  force?: boolean;
}

/** Directory types with the names that Polis shows. */
export const polisProviderNames = {
  'azure-scim-v2': 'Entra ID SCIM v2.0',
  'onelogin-scim-v2': 'OneLogin SCIM v2.0',
  'okta-scim-v2': 'Okta SCIM v2.0',
  'jumpcloud-scim-v2': 'JumpCloud v2.0',
  'generic-scim-v2': 'Generic SCIM v2.0',
  google: 'Google',
  entra: 'Entra ID',
  csv: 'CSV files',
} as const satisfies Record<DirectoryType, string>;

/** What a directory is read from, and where its administrator signs in, for pages. */
export const pulledServices = {
  google: { name: 'Google Workspace', signIn: 'Google' },
  entra: { name: 'Microsoft Entra ID', signIn: 'Microsoft' },
  // Files need no consent.
  csv: { name: 'CSV files', signIn: '' },
} as const satisfies Record<PulledType, { name: string; signIn: string }>;

/** One connection of one tenant and one product to an identity provider. */
export interface Directory extends NewDirectory {
  createdAt: Date;
  /** When a setting last changed. */
  updatedAt: Date;
  /** Whether events of a change of `inactiveUsers` are still emitted. */
  isChangingInactiveUsers: boolean;
  /** Since when it is being deleted, while its events are delivered. */
  removingAt: Date | undefined;
}

export interface NewDirectory {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  deactivated: boolean;
  logWebhookEvents: boolean;
  /** Whether a change of `active` has event types of its own. */
  userStateEvents: boolean;
  inactiveUsers: InactiveUsers;
  onDirectoryDelete: OnDirectoryDelete;
  /** The identity provider's bearer token. A pulled directory has none. */
  scimSecret: string | undefined;
  /** Whether the secret is accepted beside access tokens of OAuth clients. */
  acceptsScimSecret: boolean;
  webhook: Webhook | undefined;
  /** Whether webhooks also carry signatures as Polis sends them; undefined: the deployment's default. */
  legacySignatures: boolean | undefined;
  connection: PulledConnection | undefined;
}

export interface Webhook {
  /** Undefined: the secret is kept until there is a URL. */
  url: string | undefined;
  secret: string;
}

interface PulledConnection extends ProviderConnection {
  /** Why the identity provider rejects the authorization. */
  authorizationError: string | undefined;
  /** Whether a sync of the account has succeeded. */
  wasRead: boolean;
  /** Increases with each change of the connection. */
  authorizationVersion: number;
}

/** Whether the connection has credentials that were not rejected. */
export const isAuthorized = ({ accessToken, refreshToken, adminEmail, account, upload, authorizationError }: PulledConnection) =>
  authorizationError === undefined && (upload !== undefined || `${accessToken}${refreshToken}${adminEmail}${account}` !== '');

/** One word for whether the identity provider can change the directory. `deleting`: its events are delivered first. */
export const directoryStates = ['active', 'deactivated', 'needs_authorization', 'deleting'] as const;

export function stateOf({
  deactivated,
  type,
  connection,
  removingAt,
}: Pick<Directory, 'deactivated' | 'type' | 'connection' | 'removingAt'>): (typeof directoryStates)[number] {
  if (removingAt) return 'deleting';
  if (deactivated) return 'deactivated';
  // Files are pushed by whoever has a token: nobody has to give consent.
  return connection && type !== 'csv' && !isAuthorized(connection) ? 'needs_authorization' : 'active';
}

export const emptyConnection: ProviderConnection = {
  domain: '',
  accessToken: '',
  refreshToken: '',
  accessTokenExpiresAt: undefined,
  adminEmail: '',
  serviceAccountKey: '',
  groups: [],
  orgUnits: [],
  account: '',
  assignedOnly: false,
  upload: undefined,
};

/** The API's name for a field of a connection: `google_org_units`. */
export const nameOfConnectionField = (type: PulledType, field: string): string =>
  `${type}_${field === 'account' ? 'tenant_id' : field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** A connection with these values. Those that are not given are empty. */
export const newConnection = (given: Partial<ProviderConnection>): PulledConnection => ({
  ...emptyConnection,
  ...given,
  authorizationError: undefined,
  wasRead: false,
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
  inactiveUsers?: InactiveUsers;
  onDirectoryDelete?: OnDirectoryDelete;
  /** How many events the change may send, which its caller has confirmed. */
  confirmedEvents?: number;
  webhook?: Webhook | null;
  /** `null`: the deployment's default. */
  legacySignatures?: boolean | null;
  connection?: Partial<ProviderConnection>;
  /** The account of the connection was named by a consent: it must be the one that the directory has, or one that no other tenant reads. */
  boundByConsent?: boolean;
  /** Replaces the directory's own quotas; `null` removes them, so that the defaults apply. */
  quotas?: Partial<Quotas> | null;
  /** Changes nothing if the authorization has changed since this version. */
  ifAuthorizationVersion?: number;
}
