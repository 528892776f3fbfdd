import { afterAll, beforeAll } from '@jest/globals';
import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import { polisTablesSql } from '../../bench/import/fill-polis.ts';
import { polisHash } from '../../src/directory/import/polis-records.ts';
import { cloneDatabase, createEmptyDatabase, type TestDatabase } from './database.ts';

/** The tables of Polis, as its package creates them, filled by hand: for what old versions left, and what must not happen. */
export interface PolisTables extends TestDatabase {
  addDirectory(fields?: Partial<PolisDirectoryValue>, options?: PutOptions): Promise<PolisDirectoryValue>;
  addUser(directory: PolisDirectoryValue, fields?: Record<string, unknown>, options?: PutOptions): Promise<PolisUserValue>;
  addGroup(
    directory: PolisDirectoryValue,
    name: string,
    options?: PutOptions & { id?: string; raw?: object },
  ): Promise<{ id: string; name: string }>;
  addMember(directory: PolisDirectoryValue, groupId: string, userId: string, options?: PutOptions): Promise<void>;
  addEvent(directory: PolisDirectoryValue, event: string, data: unknown): Promise<string>;
  /** Replaces the one of its tenant and product, as Polis does. */
  addSetupLink(fields?: Record<string, unknown>, options?: PutOptions): Promise<PolisSetupLinkValue>;
  removeSetupLink(link: Pick<PolisSetupLinkValue, 'setupID'>): Promise<void>;
}

export interface PolisDirectoryValue {
  id: string;
  tenant: string;
  product: string;
  [name: string]: unknown;
}
export interface PolisSetupLinkValue {
  setupID: string;
  tenant: string;
  product: string;
  token: string;
  url: string;
  [name: string]: unknown;
}
interface PolisUserValue {
  id: string;
  email: string;
  [name: string]: unknown;
}

interface PutOptions {
  key?: Buffer | undefined;
  /** 16 before v1.28.1. */
  ivBytes?: number;
  /** Without, as before v1.7.0. */
  isIndexed?: boolean;
  hasNamespace?: boolean;
  createdAt?: string;
  modifiedAt?: string | null;
}

interface CreateOptions {
  hasNamespaces?: boolean;
  /** Without tables, which the package of Polis creates. */
  isEmpty?: boolean;
}

/** A Polis and an empty database of Rollcall, for the tests of a file. Both are filled in before the first test. */
export function usePolisAndTarget(): { polis: PolisTables; target: TestDatabase } {
  const [polis, target] = [{} as PolisTables, {} as TestDatabase];
  beforeAll(async () => {
    await Promise.all([
      createPolisTables().then((created) => Object.assign(polis, created)),
      cloneDatabase().then((created) => Object.assign(target, created)),
    ]);
  });
  afterAll(async () => {
    await Promise.all([polis.drop?.(), target.drop?.()]);
  });
  return { polis, target };
}

export async function createPolisTables({ hasNamespaces = true, isEmpty = false }: CreateOptions = {}): Promise<PolisTables> {
  const database = await createEmptyDatabase();
  const { db } = database;
  if (!isEmpty) await db.raw(polisTablesSql);
  if (!hasNamespaces) await db.raw('alter table jackson_store drop column namespace');

  async function put(namespace: string, id: string, value: unknown, indexes: Record<string, string>, options: PutOptions = {}) {
    const { key, ivBytes = 12, isIndexed = true, hasNamespace = true, createdAt, modifiedAt = '2026-03-01T12:00:00Z' } = options;
    const storeKey = `${namespace}:${polisHash(id)}`;
    await db('jackson_store').insert({
      key: storeKey,
      ...seal(JSON.stringify(value), key, ivBytes),
      modifiedAt: modifiedAt?.replace('Z', '') ?? null,
      ...(createdAt !== undefined && { createdAt: createdAt.replace('Z', '') }),
      ...(hasNamespaces && { namespace: hasNamespace ? namespace : null }),
    });
    if (!isIndexed) return;
    for (const [index, text] of Object.entries(indexes))
      await db('jackson_index').insert({ key: `${namespace}:${index}:${polisHash(text)}`, storeKey });
  }

  return {
    ...database,

    async addDirectory(fields = {}, options = {}) {
      const id = fields.id ?? randomUUID();
      const directory = {
        name: 'Okta',
        tenant: 'acme',
        product: 'crm',
        type: 'okta-scim-v2',
        log_webhook_events: false,
        webhook: { endpoint: '', secret: '' },
        scim: { path: `/api/scim/v2.0/${id}`, secret: randomBytes(16).toString('base64url') },
        ...fields,
        id,
      };
      const { tenant, product } = directory;
      await put('dsync:config', id, directory, { tenantProduct: `${tenant}:${product}`, product }, options);
      return directory;
    },

    async addUser({ id: directoryId, tenant, product }, fields = {}, options = {}) {
      const id = (fields['id'] as string | undefined) ?? randomUUID();
      const email = (fields['email'] as string | undefined) ?? `${id}@example.com`;
      const user = {
        first_name: 'Ada',
        last_name: 'Lovelace',
        active: true,
        raw: { userName: email, name: { givenName: 'Ada', familyName: 'Lovelace' }, emails: [{ value: email, primary: true }], id },
        ...fields,
        id,
        email,
      };
      await put(`dsync:users:${tenant}:${product}`, id, user, { directoryIdUsername: `${directoryId}:${email}`, directoryId }, options);
      return user;
    },

    async addGroup({ id: directoryId, tenant, product }, groupName, { id = randomUUID(), raw = {}, ...options } = {}) {
      const group = { id, name: groupName, raw: { displayName: groupName, members: [], ...raw, id } };
      await put(
        `dsync:groups:${tenant}:${product}`,
        id,
        group,
        { directoryIdDisplayname: `${directoryId}:${groupName}`, directoryId },
        options,
      );
      return group;
    },

    async addMember({ tenant, product }, groupId, userId, options = {}) {
      const id = polisHash(`${groupId}:${userId}`);
      await put(`dsync:members:${tenant}:${product}`, id, { id, group_id: groupId, user_id: userId }, { groupId }, options);
    },

    async addEvent({ id: directoryId, tenant, product }, event, data) {
      const id = randomUUID();
      const body = { event, tenant, product, directory_id: directoryId, data };
      const value = { id, event: body, retry_count: 0, status: 'PENDING', created_at: new Date().toISOString() };
      await put('dsync:events', id, value, { directoryId });
      return id;
    },

    async addSetupLink(fields = {}, options = {}) {
      const owner = { tenant: 'acme', product: 'crm', service: 'dsync', ...fields };
      const { tenant, product, service } = owner;
      const setupID = polisHash(`${tenant}:${product}:${service}`);
      const token = randomBytes(24).toString('hex');
      const link = {
        setupID,
        validTill: Date.now() + 3 * 86_400_000,
        url: `https://polis.example/setup/${token}`,
        webhook_url: 'https://app.example/hooks',
        webhook_secret: 'the secret of the link',
        ...owner,
      };
      await db('jackson_store')
        .where({ key: `setup:link:${polisHash(setupID)}` })
        .delete();
      await put('setup:link', setupID, link, { token, tenantProductService: setupID, service }, options);
      return { ...link, token };
    },

    async removeSetupLink({ setupID }) {
      await db('jackson_store')
        .where({ key: `setup:link:${polisHash(setupID)}` })
        .delete();
    },
  };
}

function seal(text: string, key: Buffer | undefined, ivBytes: number) {
  if (!key) return { value: text };
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const value = cipher.update(text, 'utf8', 'base64') + cipher.final('base64');
  return { value, iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') };
}
