import { hash, randomBytes } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { isId, newId } from '../../ids.ts';
import { assertLifetime, defaultExpiry } from '../credential-lifetime.ts';
import { directoryNotFound, notFound } from '../errors.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
import type { DirectoryStore } from '../ports.ts';
import type { UploadToken, UploadTokenStore } from './ports.ts';

interface UploadTokensDeps {
  store: UploadTokenStore;
  directories: Pick<DirectoryStore, 'get'>;
  /** Runs in the background; errors are only logged. */
  noteUseSoon(token: UploadToken): void;
  now?: () => number;
}

const noteEveryMs = 60_000;

export type UploadTokens = ReturnType<typeof createUploadTokens>;

/** The prefix lets secret scanners find a leaked value. */
export const isUploadToken = (text: string): boolean => /^rcu_[\w-]{43}$/.test(text);

const hashOf = (value: string): Buffer => hash('sha256', value, 'buffer');

/** Creates, lists, revokes and checks the upload tokens of directories. */
export function createUploadTokens({ store, directories, noteUseSoon, now = Date.now }: UploadTokensDeps) {
  return {
    /** The value is returned once, and only its hash is stored. */
    async create(directoryId: string, { name, expiresAt }: { name: string; expiresAt: Date | undefined }) {
      const at = new Date(now());
      const value = `rcu_${randomBytes(32).toString('base64url')}`;
      const token = { id: newId(), name, expiresAt: expiresAt ?? defaultExpiry(at.getTime()), hash: hashOf(value) };
      assertLifetime(token.expiresAt, at.getTime());
      const created = isId(directoryId) ? await store.create(directoryId, token, at) : undefined;
      if (!created) throw directoryNotFound();
      if (created === 'other') throw new AppError('invalid_request', 'Only a directory of type csv takes files, and so has upload tokens.');
      return { token: created, value };
    },

    async list(directoryId: string, page: PageRequest<string>): Promise<ContinuedPage<UploadToken, string>> {
      await assertDirectory(directoryId);
      return store.list(directoryId, page);
    },

    async revoke(directoryId: string, id: string): Promise<UploadToken> {
      await assertDirectory(directoryId);
      const revoked = isId(id) ? await store.revoke(directoryId, id) : undefined;
      if (!revoked) throw notFound('upload token');
      return revoked;
    },

    /** Undefined: there is no such token, or it has expired or is revoked. The value is found by its hash, so the time says nothing about it. */
    async authenticate(value: string): Promise<UploadToken | undefined> {
      const token = await store.findByHash(hashOf(value));
      if (!token || token.revokedAt || token.expiresAt.getTime() <= now()) return undefined;
      if (now() - (token.lastUsedAt?.getTime() ?? 0) > noteEveryMs) noteUseSoon(token);
      return token;
    },
  };

  async function assertDirectory(id: string): Promise<void> {
    if (!isId(id) || !(await directories.get(id))) throw directoryNotFound();
  }
}
