import { AppError } from '../errors.ts';
import { notFound } from '../directory/errors.ts';
import type { ContinuedPage, PageRequest } from '../directory/page.ts';
import type { DirectoryStore } from '../directory/ports.ts';
import { isId, newId } from '../ids.ts';
import { areWithinNetworks } from '../limits/networks.ts';
import type { Caller } from './caller.ts';
import { createKeyValue, readKeyValue } from './key-value.ts';
import { intersect, isNarrowed, type Narrowing } from './narrowing.ts';
import type { ApiKey, ApiKeyChange, ApiKeyStore } from './ports.ts';
import { deploymentScopes, presets, type PresetName, type Scope } from './scopes.ts';

interface ApiKeysDeps {
  store: ApiKeyStore;
  directories: Pick<DirectoryStore, 'get'>;
  /** Makes this process read all keys again. Other processes do so within half a second. */
  invalidate(): void;
}

export interface ApiKeyRequest {
  name: string;
  scopes: Scope[] | PresetName;
  narrowed: Narrowing;
  allowedNetworks: string[] | undefined;
  expiresAt: Date | undefined;
}

/** The value of a key is returned once, and only its hash is stored. */
export interface CreatedApiKey {
  key: ApiKey;
  value: string;
}

export type ApiKeys = ReturnType<typeof createApiKeys>;

/** Creates, reads, changes and revokes API keys. A caller cannot create more rights than it has, and sees only keys within its own narrowing. */
export function createApiKeys({ store, directories, invalidate }: ApiKeysDeps) {
  return {
    async create(caller: Caller, request: ApiKeyRequest): Promise<CreatedApiKey> {
      const narrowed = await findNarrowing(caller, request.narrowed);
      const { name, allowedNetworks = caller.allowedNetworks?.slice(), expiresAt = caller.expiresAt } = request;
      const key = { id: newId(), name, scopes: toScopes(request.scopes, narrowed), narrowed, allowedNetworks, expiresAt };
      assertNoMoreThan(caller, key);
      const value = createKeyValue();
      return { key: await store.create(caller.narrowed, { ...key, createdBy: caller.id }, readKeyValue(value)!), value };
    },

    list: (caller: Caller, page: PageRequest<string>): Promise<ContinuedPage<ApiKey, string>> => store.list(caller.narrowed, page),

    get: find,

    async update(caller: Caller, id: string, change: ApiKeyChange): Promise<ApiKey> {
      const current = await findOwn(caller, id);
      if (change.scopes) assertScopesFit(change.scopes, current.narrowed);
      assertNoMoreThan(caller, {
        scopes: change.scopes ?? current.scopes,
        allowedNetworks: change.allowedNetworks === undefined ? current.allowedNetworks : (change.allowedNetworks ?? undefined),
        expiresAt: change.expiresAt === undefined ? current.expiresAt : (change.expiresAt ?? undefined),
      });
      return requireFound(await store.update(caller.narrowed, id, change));
    },

    async revoke(caller: Caller, id: string): Promise<ApiKey> {
      const current = await find(caller, id);
      assertNoMoreScopes(caller, current.scopes);
      return requireFound(await store.revoke(caller.narrowed, id));
    },

    async rotate(caller: Caller, id: string, overlapMs: number): Promise<CreatedApiKey & { previousValidUntil: Date | undefined }> {
      const current = await findOwn(caller, id);
      if (current.expiresAt && current.expiresAt.getTime() <= Date.now())
        throw new AppError('invalid_request', 'This key has expired: change its expires_at first.');
      const value = createKeyValue();
      const rotated = await store.rotate(caller.narrowed, id, { value: readKeyValue(value)!, overlapMs });
      return { ...requireFound(rotated), value };
    },
  };

  async function find(caller: Caller, id: string): Promise<ApiKey> {
    const key = isId(id) ? await store.get(caller.narrowed, id) : undefined;
    if (!key) throw notFound('API key');
    return key;
  }

  /** A key that is not revoked, and has no more rights than the caller. */
  async function findOwn(caller: Caller, id: string): Promise<ApiKey> {
    const key = await find(caller, id);
    if (key.revokedAt) throw new AppError('invalid_request', 'This key is revoked: create another one.');
    assertNoMoreThan(caller, key);
    return key;
  }

  function requireFound<Found>(found: Found | undefined): Found {
    if (found === undefined) throw notFound('API key');
    invalidate();
    return found;
  }

  /**
   * Combines the narrowing of the caller and of the request. A directory adds its tenant
   * and product, so that keys of its tenant see the key.
   */
  async function findNarrowing(caller: Caller, requested: Narrowing): Promise<Narrowing> {
    const narrowed = intersect(caller.narrowed, requested);
    const { directoryId } = requested;
    if (directoryId === undefined) {
      if (!narrowed) throw beyondNarrowing(caller.narrowed, requested);
      return narrowed;
    }
    const directory = narrowed && isId(directoryId) ? await directories.get(directoryId) : undefined;
    const found = directory && intersect(narrowed!, { tenant: directory.tenant, product: directory.product });
    if (!found) throw notFound('directory', { field: 'directory_id' });
    return found;
  }
}

function beyondNarrowing({ tenant }: Narrowing, requested: Narrowing): AppError {
  const field = tenant !== undefined && requested.tenant !== undefined && tenant !== requested.tenant ? 'tenant' : 'product';
  return new AppError('key_narrowed', `This API key is narrowed to another ${field}: a key that it creates must have the same.`, { field });
}

function toScopes(requested: Scope[] | PresetName, narrowed: Narrowing): Scope[] {
  if (typeof requested === 'string')
    return presets[requested].filter((scope) => !isNarrowed(narrowed) || !deploymentScopes.includes(scope));
  assertScopesFit(requested, narrowed);
  return requested;
}

function assertScopesFit(scopes: Scope[], narrowed: Narrowing): void {
  const deploymentScope = isNarrowed(narrowed) && scopes.find((scope) => deploymentScopes.includes(scope));
  if (deploymentScope)
    throw new AppError(
      'invalid_request',
      `scopes must not contain ${deploymentScope}, because the key is narrowed and ${deploymentScope} is for the whole service.`,
      { field: 'scopes' },
    );
}

function assertNoMoreThan(caller: Caller, key: Pick<ApiKey, 'scopes' | 'expiresAt' | 'allowedNetworks'>): void {
  assertNoMoreScopes(caller, key.scopes);
  const { expiresAt, allowedNetworks } = caller;
  if (expiresAt && (!key.expiresAt || key.expiresAt > expiresAt)) throw moreRights('expires_at', 'expires later');
  if (allowedNetworks && !(key.allowedNetworks && areWithinNetworks(key.allowedNetworks, allowedNetworks)))
    throw moreRights('allowed_networks', 'works in more networks');
}

function assertNoMoreScopes(caller: Caller, scopes: Scope[]): void {
  const more = scopes.find((scope) => !caller.scopes.has(scope));
  if (more) throw moreRights('scopes', `has the scope ${more}`);
}

const moreRights = (field: string, how: string) =>
  new AppError('insufficient_scope', `This API key cannot create or change a key with more rights than its own: one that ${how}.`, {
    field,
  });
