import type { Quotas } from './quotas.ts';
import type { HostedConnection } from './sync/provider.ts';

const pushedTypes = ['azure-scim-v2', 'onelogin-scim-v2', 'okta-scim-v2', 'jumpcloud-scim-v2', 'generic-scim-v2'] as const;
export const hostedType = 'google';
export const directoryTypes = [...pushedTypes, hostedType] as const;
export type DirectoryType = (typeof directoryTypes)[number];

/** One connection of one tenant and one product to an identity provider. */
export interface Directory {
  id: string;
  name: string;
  tenant: string;
  product: string;
  type: DirectoryType;
  deactivated: boolean;
  logWebhookEvents: boolean;
  /** What the identity provider authenticates with; a hosted directory receives no pushes and has none. */
  scimSecret: string | undefined;
  webhook: Webhook | undefined;
  /** Webhooks are signed in the ancestor's way, too. */
  legacySignatures: boolean;
  google: GoogleConnection | undefined;
}

export interface Webhook {
  url: string;
  secret: string;
}

export interface GoogleConnection extends HostedConnection {
  /** Why the provider lets us in no more. */
  refused: string | undefined;
  /** Counts up with each change of how it is reached. */
  grant: number;
}

/** Whether there is anything to be let in with. */
export const isAuthorized = ({ accessToken, refreshToken, adminEmail, refused }: GoogleConnection) =>
  refused === undefined && `${accessToken}${refreshToken}${adminEmail}` !== '';

export const noConnection: HostedConnection = {
  domain: '',
  accessToken: '',
  refreshToken: '',
  accessTokenExpiresAt: undefined,
  adminEmail: '',
  serviceAccountKey: '',
  groups: [],
  orgUnits: [],
};

/** What a change sets; a webhook of `null` takes the address away and lets events wait. */
export interface DirectoryChange {
  name?: string;
  deactivated?: boolean;
  logWebhookEvents?: boolean;
  webhook?: Webhook | null;
  legacySignatures?: boolean;
  google?: Partial<HostedConnection>;
  /** In place of those it had; `null` leaves it with the deployment's. */
  quotas?: Partial<Quotas> | null;
  /** The change is made only if nothing was changed since of how it is reached. */
  inPlaceOfGrant?: number;
}
