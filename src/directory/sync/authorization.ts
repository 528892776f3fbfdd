import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { directoryNotFound } from '../errors.ts';
import { isId, newId } from '../../ids.ts';
import { pulledType, isAuthorized, type Directory } from '../directories/directory.ts';
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
  /** The same, and deletes it. It must belong to this directory, if one is given. */
  take(id: string, directoryId?: string): Promise<{ directoryId: string; codeVerifier: string } | undefined>;
  /** That of the directory's open requests. */
  findCodeVerifier(directoryId: string): Promise<string | undefined>;
}

/** What the consent page shows. */
export interface Connection {
  name: string;
  tenant: string;
  product: string;
  domain: string;
}

export interface AuthorizationDeps {
  directories: Pick<DirectoryStore, 'get' | 'update'>;
  requests: AuthorizationRequestStore;
  provider: Omit<DirectoryProvider, 'open'>;
  /** Opens only what this service sealed. */
  seal: { seal(text: string, context: string): string; open(sealed: string, context: string): string | undefined };
  redirectUrl(): string;
  /** Returns immediately, and may fail silently: the schedule makes up for it. */
  syncSoon(directoryId: string): void;
}

export type Authorization = ReturnType<typeof createAuthorization>;

const stateContext = 'google-authorization';
const consentContext = 'google-consent';
const confirmationContext = 'google-confirmation';
export const authorizationTtlMs = 10 * 60_000;

/** The state of the open flow. It is valid only in the browser that it was created for. */
const consentState = z.object({
  directoryId: z.string(),
  codeVerifier: z.string(),
  authorizationVersion: z.number(),
  browser: z.string(),
  expiresAtMs: z.number(),
});

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
  now = Date.now,
}: AuthorizationDeps & { now?: () => number }) {
  return {
    /** Anyone who knows a directory's id may authorize it once. Only an API key can replace an authorization. */
    async describeConsent(directoryId: string): Promise<Connection> {
      const directory = await findOpen(directoryId);
      assertClientConfigured(directory.google);
      return toConnection(directory);
    },

    /** Proves that this browser was shown the page for the subject, so that a link can't skip it. */
    confirmation: (subject: string, browser: string): string => seal.seal(JSON.stringify([subject, browser]), confirmationContext),

    isConfirmed: (confirmation: string, subject: string, browser: string): boolean =>
      seal.open(confirmation, confirmationContext) === JSON.stringify([subject, browser]),

    async beginConsent(directoryId: string, browser: string): Promise<string> {
      const { google } = await findOpen(directoryId);
      assertClientConfigured(google);
      const codeVerifier = createCodeVerifier();
      const expiresAtMs = now() + authorizationTtlMs;
      const state: z.output<typeof consentState> = {
        directoryId,
        codeVerifier,
        authorizationVersion: google.authorizationVersion,
        browser: digest(browser),
        expiresAtMs,
      };
      return toUrl(seal.seal(JSON.stringify(state), consentContext), codeVerifier, google);
    },

    async generateAuthorizationUrl(directoryId: string): Promise<string> {
      const { google } = await findPulledDirectory(directoryId);
      assertClientConfigured(google);
      const id = newId();
      const codeVerifier = await requests.create({ id, directoryId, codeVerifier: createCodeVerifier(), ttlMs: authorizationTtlMs });
      return toUrl(seal.seal(id, stateContext), codeVerifier, google);
    },

    /** Stores nothing: `setToken` does. */
    async exchangeCode(directoryId: string, code: string, state?: string): Promise<TokenRecord> {
      assertClientConfigured((await findPulledDirectory(directoryId)).google);
      if (state !== undefined) return exchange(code, (await takeByState(state, directoryId)).codeVerifier);
      return exchange(code, await requests.findCodeVerifier(directoryId));
    },

    async setToken(
      directoryId: string,
      tokens: { accessToken: string; refreshToken: string; expiresAt?: Date | undefined },
    ): Promise<Directory> {
      await findPulledDirectory(directoryId);
      return keep(directoryId, tokens);
    },

    /**
     * Runs when the person returns from the provider. A link that was created with an API key leads there directly, so the page must be
     * shown now. In the open flow the same browser has already shown it.
     */
    async findUnconfirmed(state: string, browser: string | undefined): Promise<Connection | undefined> {
      const consent = openConsent(state);
      if (consent) {
        if (browser === undefined || consent.browser !== digest(browser)) throw otherBrowser();
        return undefined;
      }
      const id = seal.open(state, stateContext);
      if (id === undefined) throw stateUnknown();
      const request = await requests.find(id);
      const directory = request && (await directories.get(request.directoryId));
      if (!directory?.google) throw stateUsed();
      return toConnection({ ...directory, google: directory.google });
    },

    async complete(state: string, code: string): Promise<Directory> {
      const consent = openConsent(state);
      // Without this check, a flow that can't succeed would use up its code.
      if (consent) await findOpen(consent.directoryId);
      const { directoryId, codeVerifier, authorizationVersion } = consent ?? {
        ...(await takeByState(state)),
        authorizationVersion: undefined,
      };
      const record = await exchange(code, codeVerifier);
      return keep(directoryId, {
        accessToken: record.access_token,
        refreshToken: record.refresh_token,
        expiresAt: new Date(record.expiry_date),
        ifAuthorizationVersion: authorizationVersion,
      });
    },
  };

  function openConsent(state: string): z.output<typeof consentState> | undefined {
    const text = seal.open(state, consentContext);
    if (text === undefined) return undefined;
    const consent = consentState.parse(JSON.parse(text));
    if (consent.expiresAtMs < now()) throw stateUsed();
    return consent;
  }

  function toUrl(state: string, codeVerifier: string, { domain }: ProviderConnection): string {
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    return provider.authorizationUrl({ state, codeChallenge, redirectUrl: redirectUrl(), domain });
  }

  function assertClientConfigured(google: ProviderConnection): void {
    const missing = provider.checkSetup({ ...google, adminEmail: '' });
    if (missing) throw new AppError('unavailable', missing);
  }

  async function findOpen(directoryId: string) {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    const google = directory?.google;
    // Without a key, it is not disclosed which directories exist, or their type.
    if (!google) throw new AppError('not_found', 'There is nothing to authorize here: the link is mistyped, or its directory was deleted.');
    if (google.adminEmail !== '')
      throw new AppError('forbidden', 'This directory is read by a service account and needs no authorization.');
    if (isAuthorized(google)) throw alreadyAuthorized();
    return { ...directory, google };
  }

  async function findPulledDirectory(directoryId: string) {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    if (!directory) throw directoryNotFound();
    if (!directory.google)
      throw new AppError(
        'invalid_request',
        `This directory is of type ${directory.type}: only one of type ${pulledType} can be authorized.`,
      );
    return { ...directory, google: directory.google };
  }

  async function takeByState(state: string, directoryId?: string) {
    const id = seal.open(state, stateContext);
    if (id === undefined) throw stateUnknown();
    const request = await requests.take(id, directoryId);
    if (!request) throw stateUsed(directoryId);
    return request;
  }

  /** Retries temporary errors, because the person would otherwise have to consent again. */
  async function exchange(code: string, codeVerifier: string | undefined, waitsMs = [300, 1_000]): Promise<TokenRecord> {
    try {
      return await provider.exchangeCode({ code, codeVerifier, redirectUrl: redirectUrl() });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const passes = error.kind === 'busy' || error.kind === 'unreachable';
      const [waitMs, ...later] = waitsMs;
      if (passes && waitMs !== undefined) {
        await sleep(waitMs);
        return exchange(code, codeVerifier, later);
      }
      throw new AppError(
        passes ? 'unavailable' : 'invalid_request',
        passes ? `${error.message} Start the authorization again.` : error.message,
        { ...(!passes && { field: 'code' }), cause: error },
      );
    }
  }

  async function keep(
    directoryId: string,
    {
      accessToken,
      refreshToken,
      expiresAt,
      ifAuthorizationVersion,
    }: { accessToken: string; refreshToken: string; expiresAt?: Date | undefined; ifAuthorizationVersion?: number | undefined },
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
}

const alreadyAuthorized = () =>
  new AppError(
    'forbidden',
    'This directory is already authorized. To authorize it again, ask the person who sent you here for a new link.',
  );

const stateUnknown = () =>
  new AppError('invalid_request', 'This state is invalid, or belongs to another directory. Start the authorization again.', {
    field: 'state',
  });

const stateUsed = (directoryId?: string) =>
  new AppError(
    'invalid_request',
    `This authorization was already used, ${directoryId === undefined ? '' : 'is for another directory, '}or took longer than ten minutes. Start it again.`,
    { field: 'state' },
  );

const otherBrowser = () =>
  new AppError(
    'forbidden',
    'This authorization was started in another browser, or its cookie is gone. Nothing was changed. Open the link again in this browser, and allow it to set cookies.',
    { field: 'state' },
  );

const toConnection = ({ name, tenant, product, google: { domain } }: Directory & { google: ProviderConnection }): Connection => ({
  name,
  tenant,
  product,
  domain,
});

const createCodeVerifier = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
