import { randomBytes } from 'node:crypto';
import { newId } from '../../ids.ts';
import { stateUnknown, stateUsed } from './authorization-errors.ts';
import type { StateSeal } from './consent-states.ts';

const stateContext = 'google-authorization';
export const authorizationTtlMs = 10 * 60_000;

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
  consume(id: string, directoryId?: string): Promise<{ directoryId: string; codeVerifier: string } | undefined>;
  /** Finds the code verifier of the directory's open requests. */
  findCodeVerifier(directoryId: string): Promise<string | undefined>;
}

/** The states of authorizations that were started with an API key. */
export function createRequestStates(requests: AuthorizationRequestStore, seal: StateSeal) {
  return {
    async create(directoryId: string): Promise<{ state: string; codeVerifier: string }> {
      const id = newId();
      const codeVerifier = await requests.create({ id, directoryId, codeVerifier: createCodeVerifier(), ttlMs: authorizationTtlMs });
      return { state: seal.seal(id, stateContext), codeVerifier };
    },

    find: async (state: string) => requests.find(open(state)),
    end: async (state: string, directoryId: string) => void (await requests.consume(open(state), directoryId)),

    async consume(state: string, directoryId?: string) {
      const request = await requests.consume(open(state), directoryId);
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

export const createCodeVerifier = () => randomBytes(32).toString('base64url');
