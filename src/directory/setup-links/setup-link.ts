import { createHash } from 'node:crypto';
import type { Narrowing } from '../../access/narrowing.ts';
import type { Actor } from '../../audit/act.ts';
import type { Directory, DirectoryType, NewDirectory } from '../directories/directory.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';

/** A link with which a customer's administrator sets up the directory of one tenant and product, without an API key. */
export interface SetupLink {
  id: string;
  /** The secret in its address. */
  token: string;
  tenant: string;
  product: string;
  /** The name of the directory that it creates. */
  name: string | undefined;
  webhookUrl: string;
  webhookSecret: string;
  /** For the application's own records: Rollcall sends no email. */
  adminEmails: string[];
  /** The only provider that it offers. */
  provider: DirectoryType | undefined;
  /** Where the administrator goes at the end. */
  returnUrl: string | undefined;
  /** Whether the link ends when it is completed. */
  revokeOnCompletion: boolean;
  /** What its holder may give to groups, strongest first. Empty: its pages do not offer it. */
  roles: string[];
  /** Whether its holder may delete directories. Set only if its creator may. */
  mayDelete: boolean;
  createdBy: Pick<Actor, 'type' | 'id' | 'name'>;
  createdAt: Date;
  expiresAt: Date;
  openedAt: Date | undefined;
  completedAt: Date | undefined;
}

export type NewSetupLink = Omit<SetupLink, 'createdAt' | 'expiresAt' | 'openedAt' | 'completedAt'>;

export interface CreatedSetupLink {
  link: SetupLink;
  /** False if a valid link existed already, which is returned unchanged. */
  isNew: boolean;
}

/** Derived as in Polis. It is no secret. */
export const setupLinkId = ({ tenant, product }: { tenant: string; product: string }): string =>
  createHash('ripemd160').update(`${tenant}:${product}:dsync`).digest('hex');

export const hashLinkToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Whether the link has ended because it was completed. */
export const isFinished = ({ revokeOnCompletion, completedAt }: SetupLink): boolean => revokeOnCompletion && completedAt !== undefined;

/** Identifies a link until it is replaced. */
export type LinkKey = Pick<SetupLink, 'id' | 'token'>;

export const linkStates = ['not_opened', 'opened', 'completed', 'expired'] as const;

/** All given fields must match. */
export interface SetupLinkFilter {
  state?: (typeof linkStates)[number] | undefined;
  /** A part of the tenant, the product or the name, in capitals or not. */
  search?: string | undefined;
}

/** Reads and changes only links of the tenant and product of `within`. */
export interface SetupLinkStore {
  /**
   * Returns the current link if it has not expired, unless it is to be replaced. The token of a replaced link stops working. Fails if there
   * are too many links, in all or of `within`.
   */
  create(within: Narrowing, link: NewSetupLink, options: { ttlMs: number; replaces: boolean }): Promise<CreatedSetupLink>;
  /** Returns the newest link first, and expired ones too. */
  list(within: Narrowing, page: PageRequest<string>, filter?: SetupLinkFilter): Promise<ContinuedPage<SetupLink, string>>;
  get(within: Narrowing, id: string): Promise<SetupLink | undefined>;
  /** Also returns a link that has expired. */
  findByToken(token: string): Promise<SetupLink | undefined>;
  revoke(within: Narrowing, id: string): Promise<boolean>;
  /** Stores when a link was first opened. */
  markOpened(key: LinkKey): Promise<void>;
  /** Stores when a link was first completed, and ends it if `revokeOnCompletion` is set. Returns false if the link was replaced or revoked. */
  complete(key: LinkKey, directoryId: string): Promise<boolean>;
  /**
   * Creates a directory of the link's tenant and product, or returns the newest one of the same type, so that a form that is sent twice creates
   * one. Undefined if the link was replaced or revoked.
   */
  createDirectory(key: LinkKey, directory: NewDirectory): Promise<Directory | undefined>;
  /** Deletes links that ended more than 30 days ago. Returns how many. */
  dropExpired(limit: number): Promise<number>;
}
