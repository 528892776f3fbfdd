import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import Koa from 'koa';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createIssueToken } from '../../src/directory/scim-clients/issue-token.ts';
import { createScimClients } from '../../src/directory/scim-clients/scim-clients.ts';
import { authenticateIdentityProvider } from '../../src/http/scim/authenticate-identity-provider.ts';
import { AppError } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { createKeyring } from '../../src/keyring.ts';
import { createDirectoryStore } from '../../src/store/directories/directory-store.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { createEmitOperatorEvent } from '../../src/store/operator-events/operator-event-store.ts';
import { createScimClientStore } from '../../src/store/scim-clients/scim-client-store.ts';
import { cloneDatabase } from '../support/database.ts';
import { readUsers } from '../support/oauth-clients.ts';

/** Expiry, with a clock that this test moves. */

const hourMs = 3_600_000;
const [directoryId, clock] = [newId(), { ms: Date.now() }];
const now = () => clock.ms;
const secret = 'the-secret-of-this-directory';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let server: Server;
let clients: ReturnType<typeof createScimClients>;
let issueToken: ReturnType<typeof createIssueToken>;
let store: ReturnType<typeof createScimClientStore>;
beforeAll(async () => {
  database = await cloneDatabase();
  const { db } = database;
  const secretColumns = createSecretColumns(createKeyring([randomBytes(32)]));
  const directoryStore = createDirectoryStore(db, secretColumns, createEmitOperatorEvent({ isHeard: false }));
  await directoryStore.create({
    id: directoryId,
    tenant: 'acme',
    product: 'app',
    name: 'Acme',
    type: 'azure-scim-v2',
    deactivated: false,
    logWebhookEvents: false,
    userStateEvents: false,
    inactiveUsers: 'keep',
    onDirectoryDelete: 'silent',
    scimSecret: secret,
    acceptsScimSecret: true,
    webhook: undefined,
    legacySignatures: undefined,
    connection: undefined,
  });
  store = createScimClientStore(db);
  clients = createScimClients({ store, directories: directoryStore, now });
  issueToken = createIssueToken({ store, ttlMs: hourMs, now });
  const authenticate = authenticateIdentityProvider({
    directoryStore,
    noteSecretUse: () => undefined,
    countFailedAuthentication: (_ctx, _failure, error) => error,
    runUntilAborted: (_signal, reads) => reads(),
    now,
  });
  const app = new Koa();
  app.use(async (ctx, next) => {
    ctx.body = {};
    await next().catch((error: unknown) => {
      ctx.status = error instanceof AppError && error.code === 'unauthorized' ? 401 : 500;
    });
  });
  app.use(authenticate as Koa.Middleware);
  app.use((ctx) => void (ctx.status = 200));
  server = createServer(app.callback() as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await database.drop();
});

const statusOf = async (token: string) => {
  const { port } = server.address() as AddressInfo;
  return (await readUsers({ baseUrl: `http://127.0.0.1:${port}` }, directoryId, `Bearer ${token}`)).status;
};

it('a token works until its lifetime ends, and the secret of the directory goes on', async () => {
  const { client, secret: clientSecret } = await clients.create(directoryId, { name: 'a', expiresAt: undefined });
  const startMs = clock.ms;
  const issued = (await issueToken(client.id, clientSecret))!;
  expect([issued.expiresInSeconds, await statusOf(issued.token)]).toEqual([3_600, 200]);
  clock.ms = startMs + hourMs - 1;
  expect(await statusOf(issued.token)).toBe(200);
  clock.ms = startMs + hourMs;
  expect([await statusOf(issued.token), await statusOf(secret)]).toEqual([401, 200]);
  const next = (await issueToken(client.id, clientSecret))!;
  expect(await statusOf(next.token)).toBe(200);
});

it('an expired client gets no token, and its last token ends with it', async () => {
  const { client, secret: clientSecret } = await clients.create(directoryId, {
    name: 'a',
    expiresAt: new Date(clock.ms + hourMs / 2),
  });
  const startMs = clock.ms;
  const issued = (await issueToken(client.id, clientSecret))!;
  expect(issued.expiresInSeconds).toBe(1_800);
  clock.ms = startMs + hourMs / 2 - 1;
  expect(await statusOf(issued.token)).toBe(200);
  clock.ms = startMs + hourMs / 2;
  expect([await statusOf(issued.token), await issueToken(client.id, clientSecret)]).toEqual([401, undefined]);
});

it('an expired client leaves its place to another one', async () => {
  const expiresAt = new Date(clock.ms + hourMs);
  for (let count = 0; count < 9; count += 1) await clients.create(directoryId, { name: 'a', expiresAt });
  await expect(clients.create(directoryId, { name: 'b', expiresAt })).rejects.toMatchObject({ code: 'invalid_request' });
  clock.ms += hourMs;
  await clients.create(directoryId, { name: 'b', expiresAt: undefined });
});

it('the sweep deletes expired tokens in steps, and no others', async () => {
  const { client, secret: clientSecret } = await clients.create(directoryId, { name: 'c', expiresAt: undefined });
  const kept = (await issueToken(client.id, clientSecret))!;
  const [before] = await database.db('scim_access_tokens').count<[{ count: number }]>('* as count');
  await database
    .db('scim_access_tokens')
    .whereNot({ client_id: client.id })
    .update({ expires_at: new Date(0) });
  const expired = before!.count - 1;
  expect(expired).toBeGreaterThan(1);
  expect([await store.dropExpiredTokens(1), await store.dropExpiredTokens(10), await store.dropExpiredTokens(10)]).toEqual([
    1,
    expired - 1,
    0,
  ]);
  expect(await statusOf(kept.token)).toBe(200);
});
