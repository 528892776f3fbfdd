import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { hostOf, toDisplayAddress } from '../../../src/directory/delivery/webhook-settings.ts';
import { hostSql } from '../../../src/store/encryption/secret-columns.ts';
import { newId } from '../../../src/ids.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { dumpDatabase, type BackupHeader, type BackupPart } from '../../../src/store/backup/dump-database.ts';
import { loadDatabase } from '../../../src/store/backup/load-database.ts';
import { createDirectoryStore } from '../../../src/store/directories/directory-store.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { migrationNames, migrationSource } from '../../../src/store/migrations/index.ts';
import { createEmitOperatorEvent } from '../../../src/store/operator-events/operator-event-store.ts';
import { createSecretColumns, sealAddresses } from '../../../src/store/encryption/secret-columns.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.ts';
import { dumpTables } from '../../support/dump-tables.ts';

const secrets = createSecretColumns(createKeyring([randomBytes(32)]));
const directoryCount = 250;
let database: TestDatabase;
let db: Knex;
let ids: string[];
let without: string;
/** From the previous version. */
const backup: BackupPart[] = [];
beforeAll(async () => {
  database = await createEmptyDatabase();
  ({ db } = database);
  await db.migrate.latest({ migrationSource: former });
  ids = await Promise.all(Array.from({ length: directoryCount }, (_, number) => createFormer(number, addressOf(number))));
  without = await createFormer(-1, null);
  for await (const part of dumpDatabase(database.url)) backup.push(part);
});
afterAll(() => database.drop());

/** The schema before addresses were encrypted. */
const former = {
  ...migrationSource,
  getMigrations: () => Promise.resolve(migrationNames.slice(0, migrationNames.indexOf('014_webhook_addresses'))),
};
const canary = 'canary-token';
const addressOf = (number: number) => `https://app.example/hooks/${number}?token=${canary}-${number}`;

/** A directory as the previous version writes it, with an attempt to a former address. */
async function createFormer(number: number, address: string | null): Promise<string> {
  const [id, endpointId, batchId] = [newId(), newId(), `msg_${newId()}`];
  await db('directories').insert({ id, tenant: 't', product: 'p', name: `${number}`, type: 'generic-scim-v2' });
  await db('webhook_endpoints').insert({ id: endpointId, directory_id: id, url: address });
  await db('webhook_batches').insert({
    id: batchId,
    directory_id: id,
    endpoint_id: endpointId,
    bytes: 2,
    sha256: '',
    status: 'delivered',
    from_sequence: 1,
    to_sequence: 1,
    event_count: 1,
  });
  for (const [number_, at] of ['https://former.example/x?code=canary-token#f', 'http://user:canary-token@app.example/a@b'].entries())
    await db('webhook_attempts').insert({
      batch_id: batchId,
      number: number_ + 1,
      directory_id: id,
      url: at,
      outcome: 'success',
      // The response of a receiver that repeats its address, or no response.
      response_headers: address === null ? 'null' : JSON.stringify({ location: `${address}&more=1`, date: 'now' }),
      response_body: address && `moved to ${address}`,
    });
  return id;
}

const store = () => createDirectoryStore(db, secrets, createEmitOperatorEvent({ isHeard: false }));
const isMarked = (id: string) => db('webhook_endpoints').where({ directory_id: id }).first('url', 'sealed_url', 'has_plain_address');

it('encrypts the addresses in a database of the previous version, and leaves no query in plain text', async () => {
  await migrate(database.url);
  expect((await store().get(ids[7]!))!.webhook!.url).toBe(addressOf(7));

  // The process ends after the first hundred. Then two processes start at the same time.
  let begun = 0;
  const dying = {
    ...secrets,
    seal: (...given: Parameters<typeof secrets.seal>) => {
      begun += 1;
      if (begun > 150) throw new Error('It died.');
      return secrets.seal(...given);
    },
  };
  await expect(sealAddresses(db, dying)).rejects.toThrow('It died.');
  expect(await db('webhook_endpoints').where({ has_plain_address: true })).toHaveLength(directoryCount + 1 - 100);
  const counts = await Promise.all([sealAddresses(db, secrets), sealAddresses(db, secrets)]);
  expect(counts[0] + counts[1]).toBe(directoryCount + 1 - 100);

  expect(await dumpTables(db)).not.toContain(canary);
  for (const [number, id] of ids.entries()) {
    const { webhook } = (await store().get(id))!;
    expect(webhook!.url).toBe(addressOf(number));
  }
  expect((await store().get(without))!.webhook).toBeUndefined();
  expect(await db('webhook_attempts').where({ directory_id: ids[7]!, number: 1 }).first()).toMatchObject({
    url: 'former.example',
    sealed_url: null,
    response_headers: { location: 'https://app.example/hooks/7?token=[redacted]&more=1', date: 'now' },
    response_body: 'moved to https://app.example/hooks/7?token=[redacted]',
  });
  expect(await db('webhook_attempts').where({ directory_id: without }).orderBy('number').pluck('url')).toEqual([
    'former.example',
    'app.example',
  ]);
  expect(await sealAddresses(db, secrets)).toBe(0);
});

it('encrypts the addresses in a backup of the previous version', async () => {
  const { db: restored, url, drop } = await createEmptyDatabase();
  try {
    const [header, ...parts] = backup;
    async function* read() {
      for (const part of parts) yield part;
    }
    await loadDatabase(url, header as BackupHeader, read());
    expect(await sealAddresses(restored, secrets)).toBe(directoryCount + 1);
    expect(await dumpTables(restored)).not.toContain(canary);
    const directories = createDirectoryStore(restored, secrets, createEmitOperatorEvent({ isHeard: false }));
    expect((await directories.get(ids[7]!))!.webhook!.url).toBe(addressOf(7));
  } finally {
    await drop();
  }
});

it('encrypts what a process of the previous version writes while the new one starts', async () => {
  const id = await createFormer(1_000, null);
  await db('webhook_attempts').where({ directory_id: id }).delete();
  const write = (address: string | null) => db('webhook_endpoints').where({ directory_id: id }).update({ url: address });
  await write(addressOf(1_000));
  expect(await isMarked(id)).toMatchObject({ sealed_url: null, has_plain_address: true });
  expect((await store().get(id))!.webhook!.url).toBe(addressOf(1_000));
  expect(await sealAddresses(db, secrets)).toBe(1);
  expect(await isMarked(id)).toMatchObject({ url: 'app.example', has_plain_address: false });

  await write(addressOf(1_001));
  expect((await store().get(id))!.webhook!.url).toBe(addressOf(1_001));
  await write(null);
  expect((await store().get(id))!.webhook).toBeUndefined();
  expect(await isMarked(id)).toMatchObject({ url: null, sealed_url: null });
  await store().update(id, { webhook: { url: addressOf(1_002), secret: 'a-secret-of-twenty-chars' } });
  expect(await isMarked(id)).toMatchObject({ url: 'app.example', sealed_url: expect.any(String) });
  expect(await sealAddresses(db, secrets)).toBe(1);
  expect((await store().get(id))!.webhook!.url).toBe(addressOf(1_002));
  expect(await dumpTables(db)).not.toContain(canary);
});

it('removes paths that a version with encrypted addresses has stored, before and during the start of the new one', async () => {
  const address = addressOf(2_000);
  const { db: upgraded, url, drop } = await createEmptyDatabase();
  try {
    const until014 = migrationNames.slice(0, migrationNames.indexOf('014_webhook_addresses') + 1);
    await upgraded.migrate.latest({ migrationSource: { ...migrationSource, getMigrations: () => Promise.resolve(until014) } });
    const write = async () => {
      const [id, endpointId] = [newId(), newId()];
      await upgraded('directories').insert({ id, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
      const sealed = secrets.seal(id, 'webhook_url', address);
      const columns = { id: endpointId, directory_id: id, url: toDisplayAddress(address), sealed_url: sealed, has_plain_address: false };
      await upgraded('webhook_endpoints').insert(columns);
      return id;
    };
    const before = await write();
    await migrate(url);
    const meanwhile = await write();
    const directories = createDirectoryStore(upgraded, secrets, createEmitOperatorEvent({ isHeard: false }));
    for (const id of [before, meanwhile]) {
      expect(await upgraded('webhook_endpoints').where({ directory_id: id }).first('url', 'has_plain_address')).toEqual({
        url: 'app.example',
        has_plain_address: false,
      });
      expect((await directories.get(id))!.webhook!.url).toBe(address);
    }
  } finally {
    await drop();
  }
});

it('shortens an address in the database as in the process', async () => {
  const addresses = [
    'https://app.example',
    'https://app.example/hooks?a=b?c#d',
    'https://app.example/#f?x',
    'http://user:p@ss@app.example:8080/a@b/?q=/@',
    'https://app.example/a\n?b',
    'HTTPS://App.Example/ü?x',
    'https://app.example\\hooks\\1',
  ];
  const { rows } = await db.raw<{ rows: { host: string }[] }>(
    `select ${hostSql('a')} as host from unnest(cast(:addresses as text[])) with ordinality as t(a, n) order by n`,
    { addresses },
  );
  expect(rows.map(({ host }) => host)).toEqual(addresses.map(hostOf));
  expect(addresses.map(hostOf)).toEqual([
    'app.example',
    'app.example',
    'app.example',
    'app.example:8080',
    'app.example',
    'App.Example',
    'app.example',
  ]);
  expect(addresses.map(toDisplayAddress)).toEqual([
    'https://app.example',
    'https://app.example/hooks',
    'https://app.example/',
    'http://app.example:8080/a@b/',
    'https://app.example/a\n',
    'HTTPS://App.Example/ü',
    'https://app.example\\hooks\\1',
  ]);
});
