import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import type { Warning } from '../delivery/webhook-settings.ts';
import type { Directory } from '../directories/directory.ts';
import { assertLifetime, defaultExpiry } from '../credential-lifetime.ts';
import { directoryNotFound, notFound } from '../errors.ts';
import type { DirectoryStore } from '../ports.ts';
import { createClientSecret } from './credentials.ts';
import type { ScimClient, ScimClientChange, ScimClientStore } from './ports.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';

interface ScimClientsDeps {
  store: ScimClientStore;
  directories: Pick<DirectoryStore, 'get'>;
  now?: () => number;
}

export type ScimClients = ReturnType<typeof createScimClients>;

/** Creates, reads, changes and revokes the OAuth clients of directories. */
export function createScimClients({ store, directories, now = Date.now }: ScimClientsDeps) {
  return {
    /** The secret is returned once, and only its hash is stored. */
    async create(directoryId: string, { name, expiresAt }: { name: string; expiresAt: Date | undefined }) {
      const at = new Date(now());
      const { value: secret, hash: secretHash } = createClientSecret();
      const client = { id: newId(), name, expiresAt: expiresAt ?? defaultExpiry(at.getTime()), secretHash };
      assertLifetime(client.expiresAt, at.getTime());
      const created = isId(directoryId) ? await store.create(directoryId, client, at) : undefined;
      if (!created) throw directoryNotFound();
      if (created === 'pulled')
        throw new AppError('invalid_request', 'This directory is pulled: it receives no pushes, so it has no OAuth clients.');
      return { client: created, secret };
    },

    async list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<ScimClient, string>> {
      await findDirectory(directoryId);
      return store.list(directoryId, page);
    },

    async get(directoryId: string, id: string): Promise<ScimClient> {
      await findDirectory(directoryId);
      return found(isId(id) ? await store.get(directoryId, id) : undefined);
    },

    async update(directoryId: string, id: string, change: ScimClientChange): Promise<ScimClient> {
      await findDirectory(directoryId);
      const current = found(isId(id) ? await store.get(directoryId, id) : undefined);
      if (current.revokedAt) throw new AppError('invalid_request', 'This OAuth client is revoked: create another one.');
      if (change.expiresAt) assertLifetime(change.expiresAt, now());
      return found(await store.update(directoryId, id, change, new Date(now())));
    },

    async revoke(directoryId: string, id: string): Promise<{ client: ScimClient; warnings: Warning[] }> {
      const directory = await findDirectory(directoryId);
      const client = found(isId(id) ? await store.revoke(directoryId, id) : undefined);
      return { client, warnings: await findWarnings(directory) };
    },

    async revokeTokens(directoryId: string, id: string): Promise<ScimClient> {
      await findDirectory(directoryId);
      return found(isId(id) ? await store.revokeTokens(directoryId, id) : undefined);
    },

    findWarnings,
  };

  async function findDirectory(id: string): Promise<Directory> {
    const directory = isId(id) ? await directories.get(id) : undefined;
    if (!directory) throw directoryNotFound();
    return directory;
  }

  /** A directory that accepts neither its secret nor an access token rejects every push. */
  async function findWarnings({ id, acceptsScimSecret }: Pick<Directory, 'id' | 'acceptsScimSecret'>): Promise<Warning[]> {
    if (acceptsScimSecret || (await store.hasActive(id, new Date(now())))) return [];
    return [
      {
        code: 'no_scim_client',
        field: 'accept_scim_secret',
        message:
          'accept_scim_secret is false and there is no active OAuth client: every push is rejected. Create one, or set accept_scim_secret to true.',
      },
    ];
  }
}

function found(client: ScimClient | undefined): ScimClient {
  if (!client) throw notFound('OAuth client');
  return client;
}
