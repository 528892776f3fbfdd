import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from '../../audit/act.ts';
import { AppError } from '../../errors.ts';
import { directoryNotFound } from '../errors.ts';
import { isId, newId } from '../../ids.ts';
import { alreadyAuthorized, stateUnknown, stateUsed } from './authorization-errors.ts';
import { findPulledDirectory } from './syncs.ts';
import { createConsentStates, type StateSeal } from './consent-states.ts';
import { isAuthorized, type Directory } from '../directories/directory.ts';
import type { DirectoryStore } from '../ports.ts';
import { ProviderError, type ProviderConnection, type DirectoryProvider, type TokenRecord } from './provider.ts';

/** Authorizations that were started with an API key. Those of the open flow are sealed in their state. */
export interface AuthorizationRequestStore {
  /**
   * Returns the code verifier of the request: the given one, or that of another open request of this directory, so that a code can be
   * exchanged whichever request it belongs to. Stores nothing if the directory is gone.
   */
  create(request: { id: string; directoryId: string; codeVerifier: string; ttlMs: number }): Promise<string>;
  /** Finds a request that has not expired. */
  find(id: string): Promise<{ directoryId: string } | undefined>;
  /** Finds and deletes a request that has not expired. It must belong to this directory, if one is given. */
  take(id: string, directoryId?: string): Promise<{ directoryId: string; codeVerifier: string } | undefined>;
  /** Finds the code verifier of the directory's open requests. */
  findCodeVerifier(directoryId: string): Promise<string | undefined>;
}

/** What the consent page shows. */
export interface Connection {
  name: string;
  tenant: string;
  product: string;
  domain: string;
}

interface AuthorizationDeps {
  directories: Pick<DirectoryStore, 'get' | 'update'>;
  requests: AuthorizationRequestStore;
  provider: Omit<DirectoryProvider, 'open'>;
  seal: StateSeal;
  redirectUrl(): string;
  /** Returns immediately, and may fail silently: the schedule makes up for it. */
  syncSoon(directoryId: string): void;
  recordAct(act: Act): Promise<void>;
}

export type Authorization = ReturnType<typeof createAuthorization>;

const stateContext = 'google-authorization';
export const authorizationTtlMs = 10 * 60_000;

/**
 * Authorizes pulled directories: a person gives consent at the provider, which redirects back with a code. `browser` is a secret in a
 * cookie of that person's browser.
 */
export function createAuthorization({
  directories,
  requests,
  provider,
  seal,
  redirectUrl,
  syncSoon,
  recordAct,
  now = Date.now,
}: AuthorizationDeps & { now?: () => number }) {
  const consents = createConsentStates(seal, now);
  const states = createRequestStates(requests, seal);
  const keep = (directoryId: string, tokens: NewTokens) => keepTokens({ directories, syncSoon }, directoryId, tokens);

  return {
    /** Anyone who knows a directory's ID may authorize it once. Only an API key can replace an authorization. */
    async describeConsent(directoryId: string): Promise<Connection> {
      const directory = await findOpen(directories, directoryId);
      assertClientConfigured(directory.google);
      return toConnection(directory);
    },

    confirmation: consents.confirmation,
    isConfirmed: consents.isConfirmed,

    async beginConsent(directoryId: string, browser: string): Promise<string> {
      const { google } = await findOpen(directories, directoryId);
      assertClientConfigured(google);
      const codeVerifier = createCodeVerifier();
      const expiresAtMs = now() + authorizationTtlMs;
      const { authorizationVersion } = google;
      return toUrl(consents.write({ directoryId, codeVerifier, authorizationVersion, browser, expiresAtMs }), codeVerifier, google);
    },

    async generateAuthorizationUrl(directoryId: string): Promise<string> {
      const { google } = await findPulledDirectory(directories, directoryId, 'authorized');
      assertClientConfigured(google);
      const { state, codeVerifier } = await states.create(directoryId);
      return toUrl(state, codeVerifier, google);
    },

    /** Stores nothing: `setToken` does. */
    async exchangeCode(directoryId: string, code: string, state?: string): Promise<TokenRecord> {
      assertClientConfigured((await findPulledDirectory(directories, directoryId, 'authorized')).google);
      await recordAct({ action: 'directory.code_exchanged', directory: { id: directoryId } });
      if (state !== undefined) return exchange(code, (await states.take(state, directoryId)).codeVerifier);
      return exchange(code, await requests.findCodeVerifier(directoryId));
    },

    async setToken(directoryId: string, tokens: Omit<NewTokens, 'ifAuthorizationVersion'>): Promise<Directory> {
      await findPulledDirectory(directories, directoryId, 'authorized');
      return keep(directoryId, tokens);
    },

    /**
     * Runs when the person returns from the provider. A link that was created with an API key leads there directly, so the page must be
     * shown now. In the open flow the same browser has already shown it.
     */
    async findUnconfirmed(state: string, browser: string | undefined): Promise<Connection | undefined> {
      const consent = consents.read(state);
      if (consent) {
        consent.assertBrowser(browser);
        return undefined;
      }
      const request = await states.find(state);
      const directory = request && (await directories.get(request.directoryId));
      if (!directory?.google) throw stateUsed();
      return toConnection({ ...directory, google: directory.google });
    },

    async complete(state: string, code: string): Promise<Directory> {
      const consent = consents.read(state);
      // Without this check, a flow that can't succeed would use up its code.
      if (consent) await findOpen(directories, consent.directoryId);
      const { directoryId, codeVerifier } = consent ?? (await states.take(state));
      const record = await exchange(code, codeVerifier);
      return keep(directoryId, {
        accessToken: record.access_token,
        refreshToken: record.refresh_token,
        expiresAt: new Date(record.expiry_date),
        ifAuthorizationVersion: consent?.authorizationVersion,
      });
    },
  };

  function toUrl(state: string, codeVerifier: string, { domain }: ProviderConnection): string {
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    return provider.authorizationUrl({ state, codeChallenge, redirectUrl: redirectUrl(), domain });
  }

  function assertClientConfigured(google: ProviderConnection): void {
    const missing = provider.checkSetup({ ...google, adminEmail: '' });
    if (missing) throw new AppError('unavailable', missing);
  }

  function exchange(code: string, codeVerifier: string | undefined): Promise<TokenRecord> {
    return exchangeRetrying(provider, { code, codeVerifier, redirectUrl: redirectUrl() });
  }
}

/** The states of authorizations that were started with an API key. */
function createRequestStates(requests: AuthorizationRequestStore, seal: StateSeal) {
  return {
    async create(directoryId: string): Promise<{ state: string; codeVerifier: string }> {
      const id = newId();
      const codeVerifier = await requests.create({ id, directoryId, codeVerifier: createCodeVerifier(), ttlMs: authorizationTtlMs });
      return { state: seal.seal(id, stateContext), codeVerifier };
    },

    find: async (state: string) => requests.find(open(state)),

    async take(state: string, directoryId?: string) {
      const request = await requests.take(open(state), directoryId);
      if (!request) throw stateUsed(directoryId);
      return request;
    },
  };

  function open(state: string): string {
    const id = seal.open(state, stateContext);
    if (id === undefined) throw stateUnknown();
    return id;
  }
}

export interface NewTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt?: Date | undefined;
  ifAuthorizationVersion?: number | undefined;
}

async function keepTokens(
  { directories, syncSoon }: Pick<AuthorizationDeps, 'directories' | 'syncSoon'>,
  directoryId: string,
  { accessToken, refreshToken, expiresAt, ifAuthorizationVersion }: NewTokens,
): Promise<Directory> {
  const updated = await directories.update(directoryId, {
    google: { accessToken, refreshToken, accessTokenExpiresAt: expiresAt },
    ...(ifAuthorizationVersion !== undefined && { ifAuthorizationVersion }),
  });
  if (!updated && (await directories.get(directoryId))) throw alreadyAuthorized();
  if (!updated) throw directoryNotFound();
  syncSoon(directoryId);
  return updated;
}

async function findOpen(directories: Pick<DirectoryStore, 'get'>, directoryId: string) {
  const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
  const google = directory?.google;
  // Without a key, it is not disclosed which directories exist, or their type.
  if (!google) throw new AppError('not_found', 'There is nothing to authorize here: the link is mistyped, or its directory was deleted.');
  if (google.adminEmail !== '') throw new AppError('forbidden', 'This directory is read by a service account and needs no authorization.');
  if (isAuthorized(google)) throw alreadyAuthorized();
  return { ...directory, google };
}

/** Retries temporary errors, because the person would otherwise have to consent again. */
async function exchangeRetrying(
  provider: AuthorizationDeps['provider'],
  request: Parameters<DirectoryProvider['exchangeCode']>[0],
  waitsMs = [300, 1_000],
): Promise<TokenRecord> {
  try {
    return await provider.exchangeCode(request);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const passes = error.kind === 'busy' || error.kind === 'unreachable';
    const [waitMs, ...later] = waitsMs;
    if (passes && waitMs !== undefined) {
      await sleep(waitMs);
      return exchangeRetrying(provider, request, later);
    }
    throw new AppError(
      passes ? 'unavailable' : 'invalid_request',
      passes ? `${error.message} Start the authorization again.` : error.message,
      { ...(!passes && { field: 'code' }), cause: error },
    );
  }
}

const toConnection = ({ name, tenant, product, google: { domain } }: Directory & { google: ProviderConnection }): Connection => ({
  name,
  tenant,
  product,
  domain,
});

const createCodeVerifier = () => randomBytes(32).toString('base64url');
