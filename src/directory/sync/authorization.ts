import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from '../../audit/act.ts';
import { AppError } from '../../errors.ts';
import { directoryNotFound } from '../errors.ts';
import { isId } from '../../ids.ts';
import { accountNarrowed, alreadyAuthorized, accountMismatch, stateUsed } from './authorization-errors.ts';
import { findPulledDirectory } from './syncs.ts';
import { createConsentStates, type StateSeal } from './consent-states.ts';
import { isAuthorized, isPulledType, isScheduledType, type Directory, type PulledType } from '../directories/directory.ts';
import type { DirectoryStore } from '../ports.ts';
import { ProviderError, type DirectoryProvider, type TokenRecord } from './provider.ts';
import { type AuthorizationRequestStore, authorizationTtlMs, createCodeVerifier, createRequestStates } from './request-states.ts';

/** What the consent page shows. */
export interface Connection {
  name: string;
  tenant: string;
  product: string;
  domain: string;
  type: PulledType;
}

type ConsentProvider = Omit<DirectoryProvider, 'open'>;

/** What the provider sends back: a code, or the account whose administrator has consented. */
export type ConsentResult = { code: string } | { account: string };

interface AuthorizationDeps {
  directories: Pick<DirectoryStore, 'get' | 'update'>;
  requests: AuthorizationRequestStore;
  providers: Record<PulledType, ConsentProvider>;
  seal: StateSeal;
  redirectUrl(): string;
  /** Returns immediately, and may fail silently: the schedule makes up for it. */
  syncSoon(directoryId: string): void;
  recordAct(act: Act): Promise<void>;
}

export type Authorization = ReturnType<typeof createAuthorization>;

/**
 * Authorizes pulled directories: a person gives consent at the provider, which redirects back with a code. `browser` is a secret in a
 * cookie of that person's browser.
 */
export function createAuthorization({
  directories,
  requests,
  providers,
  seal,
  redirectUrl,
  syncSoon,
  recordAct,
  now = Date.now,
}: AuthorizationDeps & { now?: () => number }) {
  const consents = createConsentStates(seal, now);
  const states = createRequestStates(requests, seal);
  const save = (directoryId: string, tokens: NewAuthorization) => saveAuthorization({ directories, syncSoon }, directoryId, tokens);

  return {
    /** Anyone who knows a directory's ID may authorize it once. Only an API key can replace an authorization. */
    async describeConsent(directoryId: string): Promise<Connection> {
      const directory = await findOpen(directories, directoryId);
      assertClientConfigured(directory);
      return toConnection(directory);
    },

    confirmation: consents.confirmation,
    isConfirmed: consents.isConfirmed,

    async beginConsent(directoryId: string, browser: string): Promise<string> {
      const directory = await findOpen(directories, directoryId);
      assertClientConfigured(directory);
      const codeVerifier = createCodeVerifier();
      const expiresAtMs = now() + authorizationTtlMs;
      const { authorizationVersion } = directory.connection;
      return toUrl(consents.write({ directoryId, codeVerifier, authorizationVersion, browser, expiresAtMs }), codeVerifier, directory);
    },

    async generateAuthorizationUrl(directoryId: string, type: PulledType): Promise<string> {
      const directory = await findOfType(directoryId, type);
      assertClientConfigured(directory);
      const { state, codeVerifier } = await states.create(directoryId);
      return toUrl(state, codeVerifier, directory);
    },

    /** Stores nothing: `setToken` does. */
    async exchangeCode({ directoryId, type, code, state }: GivenCode): Promise<TokenRecord> {
      assertClientConfigured(await findOfType(directoryId, type));
      await recordAct({ action: 'directory.code_exchanged', directory: { id: directoryId } });
      if (state !== undefined) return exchange(type, code, (await states.consume(state, directoryId)).codeVerifier);
      return exchange(type, code, await requests.findCodeVerifier(directoryId));
    },

    async setToken(directoryId: string, type: PulledType, tokens: NewTokens): Promise<Directory> {
      await findOfType(directoryId, type);
      return save(directoryId, tokens);
    },

    /** Sets the account that a consent names, for an application that receives the callback itself. A state works once. */
    async setAccount({ directoryId, type, account, state, isNarrowed }: NamedAccount): Promise<Directory> {
      const directory = await findOfType(directoryId, type);
      // The account is not signed, so anyone with a state could name any account.
      if (isNarrowed && directory.connection.account === '') throw accountNarrowed('tenant');
      if ((await states.find(state))?.directoryId !== directoryId) throw stateUsed(directoryId);
      // Of two requests with one state, the second finds another version.
      const ifAuthorizationVersion = directory.connection.authorizationVersion;
      const updated = await save(directoryId, { account: acceptAccount(directory, account), ifAuthorizationVersion });
      await states.end(state, directoryId);
      return updated;
    },

    /**
     * Runs when the person returns from the provider. A link that was created with an API key skips the consent page, so it must be shown
     * now. In the open flow, the same browser has already shown it.
     */
    async findUnconfirmed(state: string, browser: string | undefined): Promise<Connection | undefined> {
      const consent = consents.read(state);
      if (consent) {
        consent.assertBrowser(browser);
        return undefined;
      }
      const request = await states.find(state);
      const directory = request && (await directories.get(request.directoryId));
      if (!directory?.connection || !isPulledType(directory.type)) throw stateUsed();
      return toConnection({ ...directory, type: directory.type, connection: directory.connection });
    },

    async complete(state: string, result: ConsentResult): Promise<Directory> {
      const consent = consents.read(state);
      // Without this check, a flow that can't succeed would use up its code.
      if (consent) await findOpen(directories, consent.directoryId);
      const { directoryId, codeVerifier } = consent ?? (await states.consume(state));
      const directory = await findPulledDirectory(directories, directoryId, 'authorized');
      if (usesAccounts(directory) !== 'account' in result)
        throw new AppError('invalid_request', 'This is the response of another provider. Start the authorization again.', {
          field: 'state',
        });
      if ('account' in result)
        return save(directoryId, {
          account: acceptAccount(directory, result.account),
          ifAuthorizationVersion: consent?.authorizationVersion,
        });
      const record = await exchange(directory.type, result.code, codeVerifier);
      return save(directoryId, {
        accessToken: record.access_token,
        refreshToken: record.refresh_token,
        expiresAt: new Date(record.expiry_date),
        ifAuthorizationVersion: consent?.authorizationVersion,
      });
    },
  };

  async function findOfType(directoryId: string, type: PulledType): Promise<Pulled> {
    const directory = await findPulledDirectory(directories, directoryId, 'authorized');
    if (directory.type !== type)
      throw new AppError(
        'invalid_request',
        `This directory is of type ${directory.type}: only directories of type ${type} can be authorized this way.`,
      );
    return directory;
  }

  function usesAccounts({ type }: Pulled): boolean {
    return providers[type].readAccount !== undefined;
  }

  /** The store rejects an account that another tenant has connected. */
  function acceptAccount({ type, connection }: Pulled, named: string): string {
    const account = providers[type].readAccount?.(named);
    if (account === undefined) throw new AppError('invalid_request', 'tenant must be the ID of a tenant.', { field: 'tenant' });
    if (connection.account !== '' && connection.account !== account) throw accountMismatch();
    return account;
  }

  function toUrl(state: string, codeVerifier: string, { type, connection }: Pulled): string {
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    return providers[type].authorizationUrl({ state, codeChallenge, redirectUrl: redirectUrl(), connection });
  }

  function assertClientConfigured({ type, connection }: Pulled): void {
    const missing = providers[type].checkSetup({ ...connection, adminEmail: '' });
    if (missing) throw new AppError('unavailable', missing);
  }

  function exchange(type: PulledType, code: string, codeVerifier: string | undefined): Promise<TokenRecord> {
    return exchangeRetrying(providers[type], { code, codeVerifier, redirectUrl: redirectUrl() });
  }
}

export interface NewTokens {
  accessToken: string;
  refreshToken: string;
  expiresAt?: Date | undefined;
}

export interface GivenCode {
  directoryId: string;
  type: PulledType;
  code: string;
  /** Of the address that led to the provider. Unset: the newest open request of the directory. */
  state?: string | undefined;
}

export interface NamedAccount {
  directoryId: string;
  type: PulledType;
  account: string;
  state: string;
  /** Whether the API key is narrowed. */
  isNarrowed: boolean;
}

type NewAuthorization = (NewTokens | { account: string }) & { ifAuthorizationVersion?: number | undefined };

async function saveAuthorization(
  { directories, syncSoon }: Pick<AuthorizationDeps, 'directories' | 'syncSoon'>,
  directoryId: string,
  { ifAuthorizationVersion, ...granted }: NewAuthorization,
): Promise<Directory> {
  const updated = await directories.update(directoryId, {
    connection:
      'account' in granted
        ? { account: granted.account }
        : { accessToken: granted.accessToken, refreshToken: granted.refreshToken, accessTokenExpiresAt: granted.expiresAt },
    ...('account' in granted && { boundByConsent: true }),
    ...(ifAuthorizationVersion !== undefined && { ifAuthorizationVersion }),
  });
  if (!updated && (await directories.get(directoryId))) throw alreadyAuthorized();
  if (!updated) throw directoryNotFound();
  syncSoon(directoryId);
  return updated;
}

type Pulled = Awaited<ReturnType<typeof findPulledDirectory>>;

async function findOpen(directories: Pick<DirectoryStore, 'get'>, directoryId: string): Promise<Pulled> {
  const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
  const { connection } = directory ?? {};
  // Without a key, it is not disclosed which directories exist, or their type.
  if (!directory || !connection || !isPulledType(directory.type) || !isScheduledType(directory.type))
    throw new AppError('not_found', 'There is nothing to authorize here: the link is mistyped, or its directory was deleted.');
  if (connection.adminEmail !== '')
    throw new AppError('forbidden', 'This directory is read by a service account and needs no authorization.');
  // An API key may set an account before its administrator consents. Only a successful sync shows that the consent exists.
  if (isAuthorized(connection) && (connection.account === '' || connection.wasRead)) throw alreadyAuthorized();
  return { ...directory, type: directory.type, connection };
}

/** Retries temporary errors, because the person would otherwise have to consent again. */
async function exchangeRetrying(
  provider: ConsentProvider,
  request: Parameters<DirectoryProvider['exchangeCode']>[0],
  waitsMs = [300, 1_000],
): Promise<TokenRecord> {
  try {
    return await provider.exchangeCode(request);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const isTemporary = error.kind === 'busy' || error.kind === 'unreachable';
    const [waitMs, ...later] = waitsMs;
    if (isTemporary && waitMs !== undefined) {
      await sleep(waitMs);
      return exchangeRetrying(provider, request, later);
    }
    throw new AppError(
      isTemporary ? 'unavailable' : 'invalid_request',
      isTemporary ? `${error.message} Start the authorization again.` : error.message,
      { ...(!isTemporary && { field: 'code' }), cause: error },
    );
  }
}

const toConnection = ({ name, tenant, product, type, connection: { domain } }: Pulled): Connection => ({
  name,
  type,
  tenant,
  product,
  domain,
});
