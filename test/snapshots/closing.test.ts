import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Knex } from 'knex';
import { databaseSettings } from '../../src/config/database.ts';
import type { OpenSnapshot } from '../../src/directory/snapshots/ports.ts';
import { createSnapshots } from '../../src/directory/snapshots/snapshots.ts';
import { readSnapshot } from '../../src/http/api/snapshots/operations.ts';
import type { HttpDeps } from '../../src/http/deps.ts';
import { newId } from '../../src/ids.ts';
import { openDatabase } from '../../src/store/database.ts';
import { migrationGivesUpAfterMs } from '../../src/store/migrations/migrate.ts';
import { openSnapshot, openSnapshotStore } from '../../src/store/snapshots/snapshot-store.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const directoryId = newId();
let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  await database.db('all_directories').insert({ id: directoryId, tenant: 'acme', product: 'app', name: '', type: 'generic-scim-v2' });
});
afterAll(() => database.drop());

const { signal } = new AbortController();

/** Allows one snapshot at a time, so that a snapshot that stays open would block the next one. */
function openPlace() {
  const store = openSnapshotStore(database.url, { maxConcurrent: 1 });
  const snapshots = createSnapshots({
    store,
    recordAct: () => Promise.resolve(),
    isIntakeBusy: () => false,
    maxConcurrent: 1,
    timeoutMs: 60_000,
  });
  const start = () => snapshots.start(directoryId, signal);
  const isFree = () =>
    until(async () => {
      (await start()).close();
      return true;
    });
  return { store, snapshots, start, isFree };
}

it('ends a transaction that begins after its caller has disconnected', async () => {
  const db = openDatabase(database.url, { poolSize: 1 });
  const caller = new AbortController();
  const transaction = async (config: Knex.TransactionConfig) => {
    const begun = await db.transaction(config);
    caller.abort(new Error('left'));
    return begun;
  };
  const leaving = openSnapshot({ transaction } as unknown as Knex, { directoryId, maxConcurrent: 1, signal: caller.signal });
  await expect(leaving).rejects.toThrow('left');
  // The pool has only this connection.
  const next = (await openSnapshot(db, { directoryId, maxConcurrent: 1, signal })) as OpenSnapshot;
  await next.close();
  await db.destroy();
});

it('ends with the process, even while its reader requests no further page', async () => {
  const { store } = openPlace();
  const opened = (await store.open(directoryId, signal)) as OpenSnapshot;
  await store.close();
  await expect(opened.users()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unavailable' });
});

it('can be closed before its first line, and again', async () => {
  const { store, start, isFree } = openPlace();
  const { lines, close } = await start();
  await expect(start()).rejects.toMatchObject({ code: 'unavailable' });
  close();
  close();
  await isFree();
  const read = async () => {
    for await (const piece of lines) expect(piece).toContain('"start"');
  };
  await expect(read()).rejects.toMatchObject({ code: 'unavailable' });
  await store.close();
});

it('is closed if the request fails after the handler', async () => {
  const { store, snapshots, isFree } = openPlace();
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.state['caller'] = { type: 'key', scopes: new Set(['people:read']), narrowed: {} };
    await next();
    throw new Error('later');
  });
  app.use((ctx) => readSnapshot.handle(ctx, { snapshots } as unknown as HttpDeps, { directoryId }));
  const callback = app.callback();
  const server = createServer((request, response) => void callback(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await response.text().catch(() => undefined);
  expect(response.status).toBe(500);
  await isFree();
  server.closeAllConnections();
  server.close();
  await store.close();
});

it('ends before a migration that waits for it times out', () => {
  expect(databaseSettings.SNAPSHOT_TIMEOUT_MS.parse(undefined)).toBeLessThan(migrationGivesUpAfterMs);
});
