import { createCipheriv, randomBytes, randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { polisHash } from '../../src/directory/import/polis-records.ts';

/** The tables of Polis 26.2, as its package creates them. */
export const polisTablesSql = `
  create table jackson_store (key varchar(1500) primary key, value text not null, iv varchar(64), tag varchar(64),
    "createdAt" timestamp not null default current_timestamp, "modifiedAt" timestamp, namespace varchar(256));
  create index _jackson_store_namespace on jackson_store (namespace);
  create table jackson_index (id serial primary key, key varchar(1500) not null, "storeKey" varchar(1500) not null references jackson_store on delete cascade);
  create index _jackson_index_key on jackson_index (key);
  create index _jackson_index_key_store on jackson_index (key, "storeKey");
  create table jackson_ttl (key varchar(1500) primary key, "expiresAt" bigint not null)`;

interface FillOptions {
  directories: number;
  /** In all directories together. */
  users: number;
  groupsPerDirectory: number;
  groupsPerUser: number;
  encryptionKey: Buffer;
}

interface Row {
  namespace: string;
  id: string;
  value: object;
  indexes: Record<string, string>;
}

const rowsPerStatement = 2_000;

/** Fills the tables of Polis with users as Okta pushes them, encrypted. Returns the IDs of the directories. */
export async function fillPolis(db: Knex, options: FillOptions): Promise<string[]> {
  const { directories, users, groupsPerDirectory, groupsPerUser, encryptionKey } = options;
  const waiting: Row[] = [];
  const flush = async () => {
    if (waiting.length > 0) await insert(db, waiting.splice(0), encryptionKey);
  };
  const put = async (row: Row) => {
    if (waiting.push(row) >= rowsPerStatement) await flush();
  };
  const ids: string[] = [];
  for (let number = 1; number <= directories; number += 1) {
    const id = randomUUID();
    const [tenant, product] = [`tenant-${number}`, 'bench'];
    const space = (kind: string) => `dsync:${kind}:${tenant}:${product}`;
    ids.push(id);
    await put({
      namespace: 'dsync:config',
      id,
      value: {
        id,
        name: 'Okta',
        tenant,
        product,
        type: 'okta-scim-v2',
        log_webhook_events: false,
        webhook: { endpoint: '', secret: '' },
        scim: { path: `/api/scim/v2.0/${id}`, secret: randomBytes(16).toString('base64url') },
      },
      indexes: { tenantProduct: `${tenant}:${product}`, product },
    });
    const groups = Array.from({ length: groupsPerDirectory }, () => randomUUID());
    for (const [index, groupId] of groups.entries()) {
      const name = `Group ${index}`;
      const value = { id: groupId, name, raw: { displayName: name, members: [], id: groupId } };
      await put({ namespace: space('groups'), id: groupId, value, indexes: { directoryIdDisplayname: `${id}:${name}`, directoryId: id } });
    }
    for (let index = 0; index < Math.floor(users / directories); index += 1) {
      const userId = randomUUID();
      const email = `user-${number}-${index}@example.com`;
      await put({
        namespace: space('users'),
        id: userId,
        value: {
          id: userId,
          email,
          first_name: 'Ada',
          last_name: `Lovelace ${index}`,
          active: true,
          raw: makeRaw(userId, email, index),
          directoryId: id,
        },
        indexes: { directoryIdUsername: `${id}:${email}`, directoryId: id },
      });
      for (let turn = 0; turn < groupsPerUser; turn += 1) {
        const groupId = groups[(index + turn) % groups.length]!;
        const memberId = polisHash(`${groupId}:${userId}`);
        await put({
          namespace: space('members'),
          id: memberId,
          value: { id: memberId, group_id: groupId, user_id: userId },
          indexes: { groupId },
        });
      }
    }
  }
  await flush();
  await db.raw('analyze jackson_store, jackson_index');
  return ids;
}

const makeRaw = (id: string, email: string, number: number) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  userName: email,
  name: { givenName: 'Ada', familyName: `Lovelace ${number}` },
  emails: [{ primary: true, value: email, type: 'work' }],
  title: 'Engineer',
  displayName: `Ada Lovelace ${number}`,
  locale: 'en-US',
  externalId: `00u${number}`,
  groups: [],
  active: true,
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: `Department ${number % 50}`, costCenter: 'R&D' },
  id,
});

async function insert(db: Knex, rows: Row[], key: Buffer): Promise<void> {
  const stored = rows.map(({ namespace, id, value, indexes }) => ({
    key: `${namespace}:${polisHash(id)}`,
    namespace,
    ...seal(JSON.stringify(value), key),
    entries: Object.entries(indexes).map(([name, text]) => `${namespace}:${name}:${polisHash(text)}`),
  }));
  const column = (name: 'key' | 'value' | 'iv' | 'tag' | 'namespace') => stored.map((row) => row[name]);
  await db.raw(
    `insert into jackson_store (key, value, iv, tag, namespace, "modifiedAt")
     select *, now() at time zone 'UTC' from unnest(cast(? as text[]), cast(? as text[]), cast(? as text[]), cast(? as text[]), cast(? as text[]))`,
    [column('key'), column('value'), column('iv'), column('tag'), column('namespace')],
  );
  await db.raw(`insert into jackson_index (key, "storeKey") select * from unnest(cast(? as text[]), cast(? as text[]))`, [
    stored.flatMap(({ entries }) => entries),
    stored.flatMap((row) => row.entries.map(() => row.key)),
  ]);
}

function seal(text: string, key: Buffer) {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const value = cipher.update(text, 'utf8', 'base64') + cipher.final('base64');
  return { value, iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64') };
}
