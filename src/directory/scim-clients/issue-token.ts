import { timingSafeEqual } from 'node:crypto';
import { isId } from '../../ids.ts';
import { createFairSemaphore } from '../../shared/fair-semaphore.ts';
import { createAccessToken, hashCredential } from './credentials.ts';
import type { ScimClientStore } from './ports.ts';

interface IssueTokenDeps {
  store: Pick<ScimClientStore, 'findWithSecret' | 'addToken'>;
  /** How long an access token is valid. It never outlives its client. */
  ttlMs: number;
  now?: () => number;
}

interface IssuedToken {
  token: string;
  expiresInSeconds: number;
}

/**
 * Returns an access token for the directory of the client, once it is stored. Undefined: there is no such client, its secret is another one,
 * or it has expired or is revoked. Each of them takes as long as the others.
 */
export type IssueToken = (clientId: string, secret: string) => Promise<IssuedToken | undefined>;

export function createIssueToken({ store, ttlMs, now = Date.now }: IssueTokenDeps): IssueToken {
  // The tokens of a client wait for its row: meanwhile they must not hold the connections that all directories share.
  const slots = createFairSemaphore({
    name: 'requests for an access token',
    concurrency: 2,
    perDirectory: 1,
    maxWaiting: 1_000,
    maxWaitingPerDirectory: 20,
  });
  return async (clientId, secret) => {
    const found = isId(clientId) ? await store.findWithSecret(clientId) : undefined;
    const isSame = timingSafeEqual(hashCredential(secret), found?.secretHash ?? noHash);
    const atMs = now();
    if (!found || !isSame || found.client.revokedAt || found.client.expiresAt.getTime() <= atMs) return undefined;
    const { id, directoryId, expiresAt: clientEndsAt } = found.client;
    const { value: token, hash } = createAccessToken();
    const expiresAt = new Date(Math.min(atMs + ttlMs, clientEndsAt.getTime()));
    const leave = await slots.enter(directoryId, new AbortController().signal);
    try {
      if (!(await store.addToken({ directoryId, clientId: id, hash, expiresAt }))) return undefined;
    } finally {
      leave();
    }
    return { token, expiresInSeconds: Math.floor((expiresAt.getTime() - atMs) / 1_000) };
  };
}

/** No secret has it. */
const noHash = Buffer.alloc(32);
