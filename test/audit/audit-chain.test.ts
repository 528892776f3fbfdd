import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import type { Narrowing } from '../../src/access/narrowing.ts';
import type { AuditFilter, AuditStore, ChainedEntry, ChainLink } from '../../src/audit/ports.ts';
import { createChainVerifier } from '../../src/audit/verify-chain.ts';
import { createAuditStore } from '../../src/store/audit/audit-store.ts';
import { recordAct } from '../../src/store/audit/record-act.ts';
import { openDatabase } from '../../src/store/database.ts';
import { cloneDatabase } from '../support/database.ts';
import { unlimitedReads } from '../support/unlimited-reads.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let second: Knex;
let store: AuditStore;
beforeAll(async () => {
  database = await cloneDatabase();
  second = openDatabase(database.url);
  store = createAuditStore(unlimitedReads(database.db));
});
afterAll(async () => {
  await second.destroy();
  await database.drop();
});

const readAll = (after = 0) => store.list({}, {}, { order: 'asc', after, limit: 10_000 });
const nothing: ChainLink = { position: 0, hash: '00'.repeat(32) };

function verify(entries: ChainedEntry[], start = nothing) {
  const verifier = createChainVerifier(start);
  for (const entry of entries) {
    const problem = verifier.next(entry);
    if (problem) return problem;
  }
  return verifier.reached();
}

const record = (db: Knex, name: string) =>
  db.transaction((trx) => recordAct(trx, { action: 'directory.updated', changes: { name: { from: null, to: name } } }));

it('chains the entries of two processes that write at the same time, also for a reader that verifies meanwhile', async () => {
  for (let round = 0; round < 20; round += 1) {
    const writing = [database.db, second].flatMap((db, at) => [1, 2, 3].map((one) => record(db, `${round} ${at} ${one}`)));
    expect(verify(await readAll())).not.toHaveProperty('reason');
    await Promise.all(writing);
  }
  const entries = await readAll();
  expect(entries.map(({ position }) => position)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
  expect(verify(entries)).toEqual((await store.chain()).head);
});

it('gives entries the order of their commits, and does not wait for a transaction that is open', async () => {
  const slow = await second.transaction();
  await recordAct(slow, { action: 'directory.created' });
  await record(database.db, 'while the other one is open');
  const before = (await readAll()).length;
  await slow.commit();
  const entries = await readAll();
  expect(entries.length).toBe(before + 1);
  expect(entries.at(-1)!.entry.action).toBe('directory.created');
  expect(verify(entries)).toEqual((await store.chain()).head);
});

it('leaves no gap where a transaction was rolled back', async () => {
  const { head } = await store.chain();
  await expect(
    database.db.transaction(async (trx) => {
      await recordAct(trx, { action: 'directory.created' });
      throw new Error('the act failed');
    }),
  ).rejects.toThrow('the act failed');
  expect((await store.chain()).head).toEqual(head);
  await record(database.db, 'next');
  expect(verify(await readAll())).toEqual((await store.chain()).head);
});

it('is append-only', async () => {
  const { db } = database;
  const rejected = 'only';
  await expect(db('audit_log').update({ body: '{}' })).rejects.toThrow(rejected);
  await expect(db('audit_log').update({ position: null })).rejects.toThrow(rejected);
  await expect(db('audit_log').delete()).rejects.toThrow(rejected);
  await expect(db.raw('truncate audit_log')).rejects.toThrow(rejected);
  await expect(db('audit_log').insert({ body: '{"occurred_at":"2026-01-01T00:00:00Z"}', position: 1 })).rejects.toThrow(rejected);
  await expect(db('audit_chain').update({ position: 0 })).rejects.toThrow(rejected);
  await expect(db('audit_chain').delete()).rejects.toThrow(rejected);
  await expect(db('audit_anchor').update({ position: 5, hash: Buffer.alloc(32) })).rejects.toThrow(rejected);
  await expect(db('audit_anchor').delete()).rejects.toThrow(rejected);
  await expect(db('audit_log').update({ action: 'directory.deleted' })).rejects.toThrow('DEFAULT');
});

/** What someone can do who owns the tables. */
async function tamper(work: (trx: Knex.Transaction) => Promise<unknown>): Promise<ReturnType<typeof verify>> {
  const trx = await database.db.transaction();
  await trx.raw(`set local session_replication_role = replica`);
  await work(trx);
  const found = verify(await createAuditStore(unlimitedReads(trx)).list({}, {}, { order: 'asc', limit: 10_000 }));
  await trx.rollback();
  return found;
}

const refuse17 = (trx: Knex) => trx.raw(`update audit_log set body = replace(body, '"success"', '"refused"') where position = 17`);

const swap5And6 = async (trx: Knex) => {
  const [fifth, sixth] = await trx('audit_log').whereIn('position', [5, 6]).orderBy('position').select<{ body: string }[]>('body');
  await trx('audit_log').where({ position: 5 }).delete();
  await trx('audit_log').where({ position: 6 }).update({ body: fifth!.body });
  const { hash } = await trx('audit_log').where({ position: 4 }).first<{ hash: Buffer }>('hash');
  await trx('audit_log').insert({ body: sixth!.body, position: 5, hash });
};

it('finds the first entry that does not fit', async () => {
  expect(await tamper(refuse17)).toMatchObject({ position: 17 });
  expect(await tamper((trx) => trx('audit_log').where({ position: 30 }).delete())).toMatchObject({
    position: 31,
    reason: expect.stringContaining('30 to 30'),
  });
  expect(
    await tamper((trx) =>
      trx('audit_log')
        .where({ position: 9 })
        .update({ hash: Buffer.alloc(32) }),
    ),
  ).toMatchObject({ position: 9 });
  expect(await tamper(swap5And6)).toMatchObject({ position: 5 });
});

it('shows a caller that knows one directory neither others nor entries that name only others', async () => {
  const [own, foreign] = ['own', 'foreign'].map((tenant) => ({ type: 'directory' as const, id: randomUUID(), tenant, product: 'app' }));
  await store.record({ action: 'directory.secrets_read', targets: [own!, foreign!] });
  await store.record({ action: 'directory.deleted', targets: [foreign!] });
  const find = async (filter: AuditFilter, narrowed: Narrowing) =>
    (await store.list(filter, narrowed, { order: 'asc', limit: 10 })).map(({ entry }) => entry.action);
  for (const narrowed of [{ tenant: 'own' }, { directoryId: own!.id }, { tenant: 'own', directoryId: own!.id }]) {
    expect(await find({}, narrowed)).toEqual(['directory.secrets_read']);
    expect(await find({ target: own!.id }, narrowed)).toEqual(['directory.secrets_read']);
    for (const filter of [{ target: foreign!.id }, { directoryId: foreign!.id }, { tenant: 'foreign' }])
      expect(await find(filter, narrowed)).toEqual([]);
  }
  expect(await find({ target: foreign!.id }, {})).toEqual(['directory.secrets_read', 'directory.deleted']);
});

it('stays verifiable when old entries are deleted', async () => {
  const entries = await readAll();
  expect(await store.dropExpired(3_600_000, 1_000)).toBe(0);
  expect(await store.dropExpired(0, 50)).toBe(50);
  const left = await readAll();
  const { anchor, head } = await store.chain();
  expect(anchor).toEqual({ position: 50, hash: entries[49]!.hash });
  expect(left[0]!.position).toBe(51);
  expect(verify(left, anchor)).toEqual(head);
  await Promise.all([1, 2, 3].map(() => store.dropExpired(0, 10)));
  expect(verify(await readAll(), (await store.chain()).anchor)).toEqual(head);
});
