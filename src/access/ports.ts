import type { ContinuedPage, PageRequest } from '../directory/page.ts';
import type { KeyValue } from './key-value.ts';
import type { Narrowing } from './narrowing.ts';
import type { Scope } from './scopes.ts';

export interface ApiKey {
  id: string;
  name: string;
  scopes: Scope[];
  narrowed: Narrowing;
  /** Undefined: all networks. */
  allowedNetworks: string[] | undefined;
  expiresAt: Date | undefined;
  /** To the minute. */
  lastUsedAt: Date | undefined;
  createdAt: Date;
  /** The ID of the caller that created it. */
  createdBy: string;
  revokedAt: Date | undefined;
  /** The public part of its newest value. */
  prefix: string;
}

type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'scopes' | 'narrowed' | 'allowedNetworks' | 'expiresAt' | 'createdBy'>;

/** Null removes a limit. */
export interface ApiKeyChange {
  name?: string | undefined;
  scopes?: Scope[] | undefined;
  allowedNetworks?: string[] | null | undefined;
  expiresAt?: Date | null | undefined;
}

/** A key with one of its values. */
export interface KeyWithValue {
  key: ApiKey;
  hash: Buffer;
  /** When this value ends; undefined: with the key. */
  valueExpiresAt: Date | undefined;
}

/** Reads and changes only keys that are narrowed at least as far as `within`. */
export interface ApiKeyStore {
  /** Fails if there are too many keys, in all or narrowed as far as `within`. */
  create(within: Narrowing, key: NewApiKey, value: KeyValue): Promise<ApiKey>;
  /** Returns the newest key first, and revoked keys too. */
  list(within: Narrowing, page: PageRequest<string>): Promise<ContinuedPage<ApiKey, string>>;
  get(within: Narrowing, id: string): Promise<ApiKey | undefined>;
  update(within: Narrowing, id: string, change: ApiKeyChange): Promise<ApiKey | undefined>;
  /** Revoking twice keeps the first time. */
  revoke(within: Narrowing, id: string): Promise<ApiKey | undefined>;
  /** Adds a value. The newest of the former values stays valid for `overlapMs`, older ones end now. */
  rotate(
    within: Narrowing,
    id: string,
    rotation: { value: KeyValue; overlapMs: number },
  ): Promise<{ key: ApiKey; previousValidUntil: Date | undefined } | undefined>;
  findByPrefix(prefix: string): Promise<KeyWithValue | undefined>;
  noteUse(id: string): Promise<void>;
}
