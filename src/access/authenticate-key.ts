import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors.ts';
import { createNetworkMatcher, type NetworkMatcher } from '../limits/networks.ts';
import { createRecentMap } from '../shared/recent-map.ts';
import type { Caller } from './caller.ts';
import { looksLikeKey, readKeyValue } from './key-value.ts';
import type { ApiKeyStore, KeyWithValue } from './ports.ts';
import { createRecentReads } from './recent-reads.ts';

const maxNoted = 20_000;
const noteIntervalMs = 60_000;

interface KeyAuthenticationDeps {
  store: Pick<ApiKeyStore, 'findByPrefix'>;
  /** Returns immediately. */
  noteUseSoon(keyId: string): void;
  now?: () => number;
}

export type KeyAuthentication = ReturnType<typeof createKeyAuthentication>;

/** Finds the caller that an API key belongs to. */
export function createKeyAuthentication({ store, noteUseSoon, now = Date.now }: KeyAuthenticationDeps) {
  const { find, invalidate } = createRecentReads(async (prefix) => toFoundKey(await store.findByPrefix(prefix)));
  const noted = createRecentMap<number>(maxNoted);

  return {
    /** Returns the caller, or why the key is rejected. The reason discloses something about a key only to who has the whole key. */
    async authenticate(given: string, address: string): Promise<Caller | AppError> {
      if (given === '') return missing();
      if (!looksLikeKey(given)) return unknown();
      const value = readKeyValue(given);
      if (!value) return malformed();
      const found = await find(value.prefix);
      const isSame = timingSafeEqual(value.hash, found?.hash ?? noHash);
      if (!found || !isSame) return unknown();
      return use(found, address);
    },

    /** For a session that began with the key, when the whole key was checked. */
    async authenticateByPrefix(prefix: string, address: string): Promise<Caller | AppError> {
      const found = await find(prefix);
      return found ? use(found, address) : unknown();
    },

    /** Makes the next request read its key again. */
    invalidate,
  };

  function use(found: FoundKey, address: string): Caller | AppError {
    const error = findProblem(found, { address, nowMs: now() });
    if (error) return error;
    noteUse(found);
    return found.caller;
  }

  function noteUse({ key }: FoundKey): void {
    const atMs = now();
    const lastMs = Math.max(noted.get(key.id) ?? 0, key.lastUsedAt?.getTime() ?? 0);
    if (atMs - lastMs < noteIntervalMs) return;
    noted.set(key.id, atMs);
    noteUseSoon(key.id);
  }
}

interface FoundKey extends KeyWithValue {
  caller: Caller;
  isAllowedFrom: NetworkMatcher;
}

/** No key has this hash. */
const noHash = Buffer.alloc(32);

function toFoundKey(found: KeyWithValue | undefined): FoundKey | undefined {
  if (!found) return undefined;
  const { id, name, scopes, narrowed, expiresAt, allowedNetworks } = found.key;
  return {
    ...found,
    caller: { type: 'api_key', id, name, scopes: new Set(scopes), narrowed, expiresAt, allowedNetworks },
    isAllowedFrom: allowedNetworks ? createNetworkMatcher(allowedNetworks) : () => true,
  };
}

function findProblem({ key, valueExpiresAt, isAllowedFrom }: FoundKey, { address, nowMs }: { address: string; nowMs: number }) {
  const hasPassed = (at: Date | undefined) => at !== undefined && at.getTime() <= nowMs;
  if (key.revokedAt) return new AppError('key_revoked', 'This API key was revoked: use another one.');
  if (hasPassed(key.expiresAt)) return new AppError('key_expired', 'This API key has expired: use another one.');
  if (hasPassed(valueExpiresAt))
    return new AppError('key_expired', 'This API key was rotated and its overlap has ended: use its new value.');
  if (!isAllowedFrom(address))
    return new AppError('key_network', 'This API key cannot be used from this address: see its allowed_networks.');
  return undefined;
}

const missing = () => new AppError('unauthorized', 'Missing API key. Send `Authorization: Api-Key <key>`.');
const unknown = () => new AppError('unauthorized', 'Invalid API key. Send `Authorization: Api-Key <key>`.');
const malformed = () =>
  new AppError('key_malformed', 'This API key is incomplete or mistyped: its checksum does not match. Copy the whole key, from rcl_ on.');
