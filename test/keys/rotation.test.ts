import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { createKeyring } from '../../src/keyring.ts';
import { sealedColumns } from '../../src/store/encryption/sealed-columns.ts';
import { createSecretColumns } from '../../src/store/encryption/secret-columns.ts';
import { createStagedMutationStore } from '../../src/store/changes/staged-mutation-store.ts';
import { createAuthorizationRequestStore } from '../../src/store/syncs/authorization-store.ts';
import { scheduleIds } from '../../src/temporal/names.ts';
import { runRollcall } from '../cli/run-rollcall.ts';
import { untilDelivered } from '../support/deliveries.ts';
import { createInstallation, type Installation, withoutThreads } from '../support/installation.ts';
import { spawnRollcall, type RunningRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { ada, type TestDirectory } from '../support/service.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 300_000;
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const listed = (...keys: Buffer[]) => ({ ENCRYPTION_KEYS: keys.map((key) => key.toString('base64')).join(',') });
const [oldId, newId] = [oldKey, newKey].map((key) => createKeyring([key]).keyIds[0]) as [string, string];

let installation: Installation;
let receiver: Receiver;
let service: RunningRollcall;
let directory: TestDirectory;
beforeAll(async () => {
  [installation, receiver] = await Promise.all([createInstallation({ env: { ...listed(oldKey), ...withoutThreads } }), startReceiver()]);
});
afterAll(async () => {
  await service?.kill();
  await receiver?.close();
  await installation?.remove();
});

async function restart(...keys: Buffer[]) {
  service.signal('SIGTERM');
  expect((await service.exited).code).toBe(0);
  service = await installation.start({ env: listed(...keys) });
}

const rewrap = (...options: string[]) =>
  runRollcall(['keys', 'rewrap', ...options], { folder: installation.folder, env: { ...installation.env, ...listed(newKey, oldKey) } });

/** Every column of every table with a value that this key sealed. */
async function findSealedColumns(keyId: string): Promise<string[]> {
  const { db } = installation;
  const prefix = Buffer.concat([Buffer.from([1]), Buffer.from(keyId, 'hex')]);
  const { rows: columns } = await db.raw<{ rows: { table_name: string; column_name: string; data_type: string }[] }>(
    `select c.table_name, column_name, data_type from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'bytea') and c.table_name <> 'encryption_check'`,
  );
  const found: string[] = [];
  for (const { table_name: table, column_name: column, data_type: type } of columns) {
    const values = await db(table).whereNotNull(column).pluck<(string | Buffer)[]>(column);
    const isSealed = (value: string | Buffer) =>
      (type === 'bytea' ? (value as Buffer) : Buffer.from(value as string, 'base64url')).subarray(0, 5).equals(prefix);
    if (values.some(isSealed)) found.push(`${table}.${column}`);
  }
  return found.sort();
}

/** Runs the sweep now, and waits until it is completed. */
async function untilSwept(): Promise<void> {
  const connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! });
  const client = new Client({ connection, namespace: installation.env['TEMPORAL_NAMESPACE']! });
  const completed = async () => {
    const { count } = await client.workflow.count(`WorkflowType = 'sweep' and ExecutionStatus = 'Completed'`);
    return count;
  };
  const before = await completed();
  await client.schedule.getHandle(scheduleIds.sweep).trigger();
  await until(async () => (await completed()) > before, { timeoutMs: 30_000 });
  await connection.close();
}

it(
  'a key is rotated step by step while the service is used',
  async () => {
    service = await installation.start();
    directory = await installation.createDirectory({
      webhook_url: `${receiver.url}?token=kept`,
      webhook_secret: 'a-secret-of-twenty-chars',
    });
    expect((await directory.scim('POST', '/Users', ada)).status).toBe(201);
    await untilDelivered(installation.db, directory);
    const google = await installation.createDirectory({ type: 'google', google_access_token: 'access', google_refresh_token: 'refresh' });
    const keyring = createKeyring([oldKey]);
    const columns = createSecretColumns(keyring);
    const providerLink = columns.seal(google.id, 'provider_link', '{}');
    await installation
      .db('all_directories')
      .where({ id: google.id })
      .update({
        google_service_account: columns.seal(google.id, 'google_service_account', '{}'),
        provider_users_link: providerLink,
        provider_groups_link: providerLink,
      });
    await installation.db('sync_runs').insert({
      directory_id: google.id,
      id: randomUUID(),
      state: 'succeeded',
      trigger: 'request',
      users_link: providerLink,
      groups_link: providerLink,
      is_cleared: true,
      finished_at: new Date(),
    });
    await createAuthorizationRequestStore(installation.db, columns).create({
      id: randomUUID(),
      directoryId: google.id,
      codeVerifier: 'verifier',
      ttlMs: 3_600_000,
    });
    await createStagedMutationStore(installation.db, keyring).put({
      id: randomUUID(),
      directoryId: directory.id,
      kind: 'bulk',
      operations: [],
    });
    const link = { tenant: 'acme', product: 'crm', webhook_url: receiver.url, webhook_secret: 'a-secret-of-twenty-chars' };
    expect((await installation.api('POST', '/api/v1/dsync/setuplinks', link)).status).toBe(201);
    // A new column with sealed values must be added to this list.
    expect(await findSealedColumns(oldId)).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort());

    const early = await rewrap();
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining(`does not have the key ${newId}`)]);

    await using hasty = await installation.start({ env: { ...listed(newKey, oldKey), PORT: '0' } });
    expect(hasty.output()).toContain('running processes lack the key that this one encrypts with');
    hasty.signal('SIGTERM');
    expect((await hasty.exited).code).toBe(0);

    await restart(oldKey, newKey);
    const planned = await rewrap('--plan', '--json');
    expect(planned.code).toBe(6);
    const { keys } = JSON.parse(planned.stdout) as { keys: { id: string; processes: number; sealed: { kind: string; count: number }[] }[] };
    expect(keys.map(({ id, processes }) => [id, processes])).toEqual([
      [newId, 0],
      [oldId, 1],
    ]);
    expect(keys[1]!.sealed).toEqual(
      expect.arrayContaining([
        { kind: 'SCIM secrets', count: 1 },
        { kind: 'webhook secrets', count: 1 },
        { kind: 'webhook addresses', count: 1 },
        { kind: 'staged mutations', count: 1 },
        { kind: 'open workflows (eventDelivery)', count: 1 },
        { kind: 'schedules (scheduledSync)', count: 1 },
      ]),
    );

    const feed = `/api/v1/events?directory_id=${directory.id}`;
    // While the old key encrypts. A reader may keep its cursor for as long as it likes.
    const { after } = (await installation.api('GET', `${feed}&range_start=2020-01-01T00:00:00Z`)).body.list_metadata;

    await restart(newKey, oldKey);
    const rejected = spawnRollcall({ folder: installation.folder, env: { ...installation.env, ...listed(newKey), PORT: '0' } });
    expect((await rejected.exited).code).toBe(1);
    expect(rejected.output()).toContain(oldId);

    // Its drain waits for more events, and must end before the workflow can continue as new.
    expect((await directory.scim('POST', '/Users', { userName: 'katherine@example.com' })).status).toBe(201);
    await untilDelivered(installation.db, directory);
    const waiting = await rewrap();
    expect([waiting.code, waiting.stderr]).toEqual([6, expect.stringContaining(`${oldId} is in use: SCIM cursors`)]);
    expect(await findSealedColumns(oldId)).toEqual([]);
    await installation
      .db('encryption_key_users')
      .whereRaw('key_ids[1] = ?', [oldId])
      .update({ seen_at: installation.db.raw(`seen_at - interval '1 hour'`) });
    const rewrapped = await rewrap();
    expect([rewrapped.code, rewrapped.stderr, rewrapped.stdout]).toEqual([
      0,
      expect.stringContaining(`${oldId} is unused`),
      expect.any(String),
    ]);
    expect(await findSealedColumns(oldId)).toEqual([]);
    expect(await findSealedColumns(newId)).toEqual(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort());
    const { data: recorded } = (await installation.api('GET', `/api/v1/audit-log?target=${newId}&order=asc`)).body;
    const byRewrap = { actor: { type: 'command_line', id: 'keys rewrap' }, targets: [{ type: 'encryption_key', id: newId }] };
    expect(recorded).toMatchObject([
      { ...byRewrap, action: 'keys.rewrap_started' },
      { ...byRewrap, action: 'keys.rewrapped', changes: { 'SCIM secrets': 1 } },
      { ...byRewrap, action: 'keys.rewrap_started' },
      { ...byRewrap, action: 'keys.rewrapped' },
    ]);

    await restart(newKey);
    expect((await installation.api('GET', `${feed}&after=${after}`)).status).toBe(200);
    expect((await directory.scim('POST', '/Users', { userName: 'grace@example.com' })).status).toBe(201);
    expect(await untilDelivered(installation.db, directory)).toBe(3);
    const { body } = await installation.api('GET', `/api/v1/directory-sync/${directory.id}`);
    expect(body.data.webhook).toEqual({ endpoint: `${receiver.url}?token=kept`, secret: 'a-secret-of-twenty-chars' });
    // Its schedule passes on the last result, which the old key sealed.
    await untilSwept();
    const again = await runRollcall(['keys', 'rewrap'], { folder: installation.folder, env: { ...installation.env, ...listed(newKey) } });
    expect([again.code, again.stderr, again.stdout]).toEqual([
      0,
      expect.stringContaining(`${newId} is the current key`),
      expect.any(String),
    ]);
  },
  testTimeoutMs,
);
