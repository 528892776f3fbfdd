import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { hostedType, isAuthorized, type Directory } from '../directory.ts';
import type { DirectoryStore } from '../ports.ts';
import { ProviderError, type HostedConnection, type HostedProvider, type TokenRecord } from './provider.ts';

export interface AuthorizationRequestStore {
  /** Nothing if the directory is gone. */
  create(request: { id: string; directoryId: string; codeVerifier: string; ttlMs: number; grant: number | undefined }): Promise<void>;
  /** Once, for the directory that is named, if one is; not when it is too old. */
  take(id: string, directoryId?: string): Promise<{ directoryId: string; codeVerifier: string; grant: number | undefined } | undefined>;
  /** It stays until it is taken. */
  findNewest(directoryId: string): Promise<{ id: string; codeVerifier: string } | undefined>;
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
const ttlMs = 10 * 60_000;

/** How a hosted directory is given its grant: a person goes to the provider, and comes back with a code. */
export function createAuthorization({ directories, requests, provider, seal, redirectUrl, syncSoon }: AuthorizationDeps) {
  return {
    /** Whoever knows a directory's id may authorise it, once: only who holds an API key puts a new grant in the place of another. */
    async beginConsent(directoryId: string): Promise<string> {
      const google = isId(directoryId) ? (await directories.get(directoryId))?.google : undefined;
      // Who has no key is not told which directories there are, and of what type.
      if (!google) throw new AppError('not_found', 'There is nothing to authorise here: the link is mistyped, or its directory is gone.');
      if (google.adminEmail !== '')
        throw new AppError('forbidden', 'This directory is read by a service account: nobody has to authorise it here.');
      if (isAuthorized(google)) throw authorizedAlready();
      return begin(directoryId, google, google.grant);
    },

    async generateAuthorizationUrl(directoryId: string): Promise<string> {
      return begin(directoryId, (await findHosted(directoryId)).google);
    },

    /** Keeps nothing: `setToken` does. */
    async exchangeCode(directoryId: string, code: string, state?: string): Promise<TokenRecord> {
      refuseWithoutClient((await findHosted(directoryId)).google);
      if (state !== undefined) return exchange(code, (await takeByState(state, directoryId)).codeVerifier);
      const request = await requests.findNewest(directoryId);
      const record = await exchange(code, request?.codeVerifier);
      if (request) await requests.take(request.id);
      return record;
    },

    async setToken(
      directoryId: string,
      tokens: { accessToken: string; refreshToken: string; expiresAt?: Date | undefined },
    ): Promise<Directory> {
      await findHosted(directoryId);
      return keep(directoryId, tokens);
    },

    /** The person is back from the provider. */
    async complete(state: string, code: string): Promise<Directory> {
      const { directoryId, codeVerifier, grant } = await takeByState(state);
      const record = await exchange(code, codeVerifier);
      return keep(directoryId, {
        accessToken: record.access_token,
        refreshToken: record.refresh_token,
        expiresAt: new Date(record.expiry_date),
        inPlaceOfGrant: grant,
      });
    },
  };

  /** With a grant, what comes of it takes the place of that one only. */
  async function begin(directoryId: string, google: HostedConnection, grant?: number): Promise<string> {
    refuseWithoutClient(google);
    const request = { id: newId(), directoryId, codeVerifier: randomBytes(32).toString('base64url'), ttlMs, grant };
    await requests.create(request);
    return provider.authorizationUrl({
      state: seal.seal(request.id, stateContext),
      codeChallenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
      redirectUrl: redirectUrl(),
      domain: google.domain,
    });
  }

  function refuseWithoutClient(google: HostedConnection): void {
    const missing = provider.findMissing({ ...google, adminEmail: '' });
    if (missing) throw new AppError('unavailable', missing);
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
    if (!request)
      throw new AppError(
        'invalid_request',
        `This authorisation was used already, ${directoryId === undefined ? '' : 'is for another directory, '}or took longer than ten minutes. Begin it again.`,
        {
          field: 'state',
        },
      );
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
