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
  /** Has this process read all keys again. Others do so by themselves. */
  forget(): void;
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

/** Creates, reads, changes and revokes API keys. A caller never gives more rights than it has, and sees only keys within its own narrowing. */
export function createApiKeys({ store, directories, forget }: ApiKeysDeps) {
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
      return changed(await store.update(caller.narrowed, id, change));
    },

    async revoke(caller: Caller, id: string): Promise<ApiKey> {
      const current = await find(caller, id);
      assertNoMoreScopes(caller, current.scopes);
      return changed(await store.revoke(caller.narrowed, id));
    },

    async rotate(caller: Caller, id: string, overlapMs: number): Promise<CreatedApiKey & { previousValidUntil: Date | undefined }> {
      const current = await findOwn(caller, id);
      if (current.expiresAt && current.expiresAt.getTime() <= Date.now())
        throw new AppError('invalid_request', 'This key has expired: change its expires_at first.');
      const value = createKeyValue();
      const rotated = await store.rotate(caller.narrowed, id, { value: readKeyValue(value)!, overlapMs });
      return { ...changed(rotated), value };
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

  function changed<Found>(found: Found | undefined): Found {
    if (found === undefined) throw notFound('API key');
    forget();
    return found;
  }

  /** The caller's own, and what the request adds. A directory brings its tenant and product, so that keys of its tenant see the key. */
  async function findNarrowing(caller: Caller, asked: Narrowing): Promise<Narrowing> {
    const narrowed = intersect(caller.narrowed, asked);
    const { directoryId } = asked;
    if (directoryId === undefined) {
      if (!narrowed) throw beyondNarrowing(caller.narrowed, asked);
      return narrowed;
    }
    const directory = narrowed && isId(directoryId) ? await directories.get(directoryId) : undefined;
    const found = directory && intersect(narrowed!, { tenant: directory.tenant, product: directory.product });
    if (!found) throw notFound('directory', { field: 'directory_id' });
    return found;
  }
}

function beyondNarrowing({ tenant }: Narrowing, asked: Narrowing): AppError {
  const field = tenant !== undefined && asked.tenant !== undefined && tenant !== asked.tenant ? 'tenant' : 'product';
  return new AppError('key_narrowed', `This API key is narrowed to another ${field}: a key that it creates must have the same.`, { field });
}

function toScopes(asked: Scope[] | PresetName, narrowed: Narrowing): Scope[] {
  if (typeof asked === 'string') return presets[asked].filter((scope) => !isNarrowed(narrowed) || !deploymentScopes.includes(scope));
  assertScopesFit(asked, narrowed);
  return asked;
}

function assertScopesFit(scopes: Scope[], narrowed: Narrowing): void {
  const unfit = isNarrowed(narrowed) && scopes.find((scope) => deploymentScopes.includes(scope));
  if (unfit)
    throw new AppError(
      'invalid_request',
      `scopes must not contain ${unfit}, because the key is narrowed and ${unfit} is for the whole service.`,
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
