import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { hostedType, isAuthorized, type Directory } from '../directory.ts';
import type { DirectoryStore } from '../ports.ts';
import { ProviderError, type HostedConnection, type HostedProvider, type TokenRecord } from './provider.ts';

/** Authorizations that were begun with an API key. Those of the open way are in their state, sealed. */
export interface AuthorizationRequestStore {
  /**
   * Returns the code verifier of the request: the given one, or that of another request of this directory that is still open. So a code
   * can be exchanged without saying which of several requests it belongs to. Nothing is kept if the directory is gone.
   */
  create(request: { id: string; directoryId: string; codeVerifier: string; ttlMs: number }): Promise<string>;
  /** Not when it is too old; it stays until it is taken. */
  find(id: string): Promise<{ directoryId: string } | undefined>;
  /** Once, for the directory that is named, if one is; not when it is too old. */
  take(id: string, directoryId?: string): Promise<{ directoryId: string; codeVerifier: string } | undefined>;
  /** Of the requests of a directory that are open. */
  findCodeVerifier(directoryId: string): Promise<string | undefined>;
}

/** What a person is shown before anything is connected. */
export interface Connection {
  name: string;
  tenant: string;
  product: string;
  domain: string;
}

export interface AuthorizationDeps {
  directories: Pick<DirectoryStore, 'get' | 'update'>;
  requests: AuthorizationRequestStore;
  provider: Pick<HostedProvider, 'authorizationUrl' | 'exchangeCode' | 'findMissing'>;
  /** What is sealed was made here, and opens nowhere else. */
  seal: { seal(text: string, context: string): string; open(sealed: string, context: string): string | undefined };
  redirectUrl(): string;
  /** Does not wait, and may fail unseen: the schedule makes up for it. */
  syncSoon(directoryId: string): void;
}

export type Authorization = ReturnType<typeof createAuthorization>;

const stateContext = 'google-authorization';
const consentContext = 'google-consent';
const confirmationContext = 'google-confirmation';
export const authorizationTtlMs = 10 * 60_000;

/** What a state of the open way says. It opens here only, and works only in the browser that it was made for. */
const consentState = z.object({
  directoryId: z.string(),
  codeVerifier: z.string(),
  grant: z.number(),
  browser: z.string(),
  expiresAtMs: z.number(),
});

/**
 * How a pulled directory is authorized: a person goes to the provider, and comes back with a code. `browser` is a secret that a cookie
 * keeps in that person's browser.
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
    /** Whoever knows a directory's id may authorize it, once: only who holds an API key replaces one authorization by another. */
    async describeConsent(directoryId: string): Promise<Connection> {
      const directory = await findOpen(directoryId);
      refuseWithoutClient(directory.google);
      return toConnection(directory);
    },

    /** Proves that this browser was shown the page about the subject: nobody can skip it by a link. */
    confirmation: (subject: string, browser: string): string => seal.seal(JSON.stringify([subject, browser]), confirmationContext),

    isConfirmed: (confirmation: string, subject: string, browser: string): boolean =>
      seal.open(confirmation, confirmationContext) === JSON.stringify([subject, browser]),

    async beginConsent(directoryId: string, browser: string): Promise<string> {
      const { google } = await findOpen(directoryId);
      refuseWithoutClient(google);
      const codeVerifier = createCodeVerifier();
      const expiresAtMs = now() + authorizationTtlMs;
      const state: z.output<typeof consentState> = {
        directoryId,
        codeVerifier,
        grant: google.grant,
        browser: digest(browser),
        expiresAtMs,
      };
      return toUrl(seal.seal(JSON.stringify(state), consentContext), codeVerifier, google);
    },

    async generateAuthorizationUrl(directoryId: string): Promise<string> {
      const { google } = await findHosted(directoryId);
      refuseWithoutClient(google);
      const id = newId();
      const codeVerifier = await requests.create({ id, directoryId, codeVerifier: createCodeVerifier(), ttlMs: authorizationTtlMs });
      return toUrl(seal.seal(id, stateContext), codeVerifier, google);
    },

    /** Keeps nothing: `setToken` does. */
    async exchangeCode(directoryId: string, code: string, state?: string): Promise<TokenRecord> {
      refuseWithoutClient((await findHosted(directoryId)).google);
      if (state !== undefined) return exchange(code, (await takeByState(state, directoryId)).codeVerifier);
      return exchange(code, await requests.findCodeVerifier(directoryId));
    },

    async setToken(
      directoryId: string,
      tokens: { accessToken: string; refreshToken: string; expiresAt?: Date | undefined },
    ): Promise<Directory> {
      await findHosted(directoryId);
      return keep(directoryId, tokens);
    },

    /**
     * The person is back from the provider. A link that was made with an API key led there directly, so that its page has to be shown
     * now; the other way the page was shown before, in the same browser.
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
      // The code of a way that leads nowhere is not used up.
      if (consent) await findOpen(consent.directoryId);
      const { directoryId, codeVerifier, grant } = consent ?? { ...(await takeByState(state)), grant: undefined };
      const record = await exchange(code, codeVerifier);
      return keep(directoryId, {
        accessToken: record.access_token,
        refreshToken: record.refresh_token,
        expiresAt: new Date(record.expiry_date),
        inPlaceOfGrant: grant,
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

  function toUrl(state: string, codeVerifier: string, { domain }: HostedConnection): string {
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
    return provider.authorizationUrl({ state, codeChallenge, redirectUrl: redirectUrl(), domain });
  }

  function refuseWithoutClient(google: HostedConnection): void {
    const missing = provider.findMissing({ ...google, adminEmail: '' });
    if (missing) throw new AppError('unavailable', missing);
  }

  async function findOpen(directoryId: string) {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    const google = directory?.google;
    // Who has no key is not told which directories there are, and of what type.
    if (!google) throw new AppError('not_found', 'There is nothing to authorise here: the link is mistyped, or its directory is gone.');
    if (google.adminEmail !== '')
      throw new AppError('forbidden', 'This directory is read by a service account: nobody has to authorise it here.');
    if (isAuthorized(google)) throw authorizedAlready();
    return { ...directory, google };
  }

  async function findHosted(directoryId: string) {
    const directory = isId(directoryId) ? await directories.get(directoryId) : undefined;
    if (!directory) throw new AppError('not_found', 'There is no directory with this id.');
    if (!directory.google)
      throw new AppError('invalid_request', `This directory is of type ${directory.type}: only one of type ${hostedType} is authorised.`);
    return { ...directory, google: directory.google };
  }

  async function takeByState(state: string, directoryId?: string) {
    const id = seal.open(state, stateContext);
    if (id === undefined) throw stateUnknown();
    const request = await requests.take(id, directoryId);
    if (!request) throw stateUsed(directoryId);
    return request;
  }

  /** A person waits, who would have to consent once more: what passes is tried again. */
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
        passes ? `${error.message} Begin the authorisation again.` : error.message,
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
      inPlaceOfGrant,
    }: { accessToken: string; refreshToken: string; expiresAt?: Date | undefined; inPlaceOfGrant?: number | undefined },
  ): Promise<Directory> {
    const updated = await directories.update(directoryId, {
      google: { accessToken, refreshToken, accessTokenExpiresAt: expiresAt },
      ...(inPlaceOfGrant !== undefined && { inPlaceOfGrant }),
    });
    if (!updated && (await directories.get(directoryId))) throw authorizedAlready();
    if (!updated) throw new AppError('not_found', 'There is no directory with this id.');
    syncSoon(directoryId);
    return updated;
  }
}

const authorizedAlready = () =>
  new AppError('forbidden', 'This directory is authorised already. To authorise it anew, ask whoever sent you here for a new link.');

const stateUnknown = () =>
  new AppError('invalid_request', 'This state was not made here, or for another directory. Begin the authorisation again.', {
    field: 'state',
  });

const stateUsed = (directoryId?: string) =>
  new AppError(
    'invalid_request',
    `This authorisation was used already, ${directoryId === undefined ? '' : 'is for another directory, '}or took longer than ten minutes. Begin it again.`,
    { field: 'state' },
  );

const otherBrowser = () =>
  new AppError(
    'forbidden',
    'This authorisation was begun in another browser, or its cookie is gone. Nothing was changed. Open the link that you were given again, in this browser, and allow it to set cookies.',
    { field: 'state' },
  );

const toConnection = ({ name, tenant, product, google: { domain } }: Directory & { google: HostedConnection }): Connection => ({
  name,
  tenant,
  product,
  domain,
});

const createCodeVerifier = () => randomBytes(32).toString('base64url');
const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
