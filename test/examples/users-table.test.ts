import { once } from 'node:events';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { packageRoot } from '../../src/paths.ts';
import { findFreePort } from '../../src/embedded/free-port.ts';
import { createSignatureHeaders } from '../../src/webhooks/sign.ts';
import { startProgram, type ChildProgram } from '../docs/child-program.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { ada, apiKey, shareTestService, type TestDirectory, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const patchSchemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
const person = (name: string) => ({ ...ada, userName: `${name}@example.com`, emails: [{ value: `${name}@example.com` }] });

let service: TestService;
let database: TestDatabase;
let app: Knex;
let directory: TestDirectory;
let port: number;
let receiver: ChildProgram;
const ids: Record<string, string> = {};

beforeAll(async () => {
  database = await createEmptyDatabase();
  ({ db: app } = database);
  [service, port] = await Promise.all([shareTestService(), findFreePort()]);
  directory = await service.createDirectory({ webhook_url: `http://127.0.0.1:${port}/hook`, log_webhook_events: true });
  await steerDelivery('pause');
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await service.stop();
  await database.drop();
});

async function startExample(args: string[] = []) {
  receiver = startProgram('node', ['examples/users-table/server.mjs', ...args], {
    cwd: packageRoot,
    env: {
      DATABASE_URL: database.url,
      ROLLCALL_URL: service.baseUrl,
      ROLLCALL_API_KEY: apiKey,
      ROLLCALL_DIRECTORY_ID: directory.id,
      ROLLCALL_WEBHOOK_SECRET: directory.webhookSecret,
      PORT: String(port),
    },
  });
  await until(
    () => {
      if (!receiver.isRunning()) throw new Error(receiver.output());
      return receiver.output().includes('waiting for webhooks');
    },
    { timeoutMs: 30_000 },
  );
}

async function stopExample() {
  if (!receiver.isRunning()) throw new Error(receiver.output());
  const exited = once(receiver.child, 'close');
  receiver.child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

async function create(path: string, name: string, body: object) {
  const created = await directory.scim('POST', path, body);
  expect(created.status).toBe(201);
  ids[name] = created.body.id;
}

const patch = (path: string, operation: object) => directory.scim('PATCH', path, { schemas: patchSchemas, Operations: [operation] });
const steerDelivery = async (action: 'pause' | 'resume', body = {}) => {
  expect((await service.api('POST', `/api/v1/directory-sync/${directory.id}/${action}`, body)).status).toBe(200);
};
const readDelivery = async () => (await service.api('GET', `/api/v1/directory-sync/${directory.id}/delivery`)).body.data;
const lastSequence = async () => (await readDelivery()).last_sequence;

async function readTables() {
  const users = await app('users').orderBy('email').select('email', 'active', 'deleted_at');
  const groups = await app('groups').whereNull('deleted_at').orderBy('name').pluck('name');
  const members = await app('memberships as m')
    .join('users as u', 'u.id', 'm.user_id')
    .where('is_member', true)
    .orderBy('email')
    .pluck('email');
  return {
    users: users.map((user) => `${user.email} ${user.deleted_at ? 'deleted' : user.active ? 'active' : 'inactive'}`),
    groups,
    members,
  };
}
const hasApplied = async (sequence: number) => Number((await app('progress').first()).sequence) >= sequence;
const readAda = () => app('users').where({ email: 'ada@example.com' }).first();
const readSequences = () => app('users').orderBy('email').select('email', 'sequence');

it('the initial load reads users, groups and members', async () => {
  await create('/Users', 'ada', person('ada'));
  await create('/Users', 'grace', person('grace'));
  await create('/Groups', 'engineers', { displayName: 'Engineers', members: [{ value: ids['ada'] }] });
  await startExample();
  expect(await readTables()).toEqual({
    users: ['ada@example.com active', 'grace@example.com active'],
    groups: ['Engineers'],
    members: ['ada@example.com'],
  });
});

it('webhooks keep the tables in sync: changes, deactivation, membership and deletion', async () => {
  await steerDelivery('resume', { from: 'backlog' });
  await create('/Users', 'linus', person('linus'));
  await patch(`/Groups/${ids['engineers']}`, { op: 'add', path: 'members', value: [{ value: ids['grace'] }] });
  await patch(`/Users/${ids['ada']}`, { op: 'replace', path: 'active', value: false });
  await patch(`/Groups/${ids['engineers']}`, { op: 'remove', path: `members[value eq "${ids['ada']}"]` });
  await patch(`/Groups/${ids['engineers']}`, { op: 'replace', path: 'displayName', value: 'Engineering' });
  expect((await directory.scim('DELETE', `/Users/${ids['linus']}`)).status).toBe(204);
  const last = await lastSequence();
  await until(() => hasApplied(last));
  expect(await readTables()).toEqual({
    users: ['ada@example.com inactive', 'grace@example.com active', 'linus@example.com deleted'],
    groups: ['Engineering'],
    members: ['grace@example.com'],
  });
  // The events that were waiting are part of the initial load.
  expect(receiver.output()).toMatch(/^1 user\.created ada@example\.com \(nothing new\)$/m);
});

it('a replay of old events changes nothing, and brings back a row that was lost', async () => {
  const [before, sequences, last] = await Promise.all([readTables(), readSequences(), lastSequence()]);
  // A replay sends what was delivered before; a success may be recorded 200 ms later.
  await until(async () => (await readDelivery()).acked_sequence === last);
  await app('users').where({ email: 'linus@example.com' }).delete();
  const started = await service.api('POST', `/api/v1/directory-sync/${directory.id}/replays`, {
    mode: 'range',
    from_sequence: 1,
    to_sequence: last,
  });
  expect(started.status).toBe(202);
  await until(async () => (await service.api('GET', `/api/v1/directory-sync/replays/${started.body.data.id}`)).body.data.status === 'done');
  expect(await readTables()).toEqual(before);
  expect(await readSequences()).toEqual(sequences);
});

it('a webhook that arrives twice is applied once, and an old or forged one changes nothing', async () => {
  const { body } = await service.api('GET', `/api/v1/events?directory_id=${directory.id}&events=user.created`);
  const [created] = body.data;
  const updated = {
    ...created,
    event: 'user.updated',
    sequence: (await lastSequence()) + 1,
    data: { ...created.data, first_name: 'Augusta' },
  };
  const send = async (event: object, secret = directory.webhookSecret) => {
    const text = JSON.stringify(event);
    const headers = createSignatureHeaders({ id: 'msg_repeated', body: text, secrets: [secret], atMs: Date.now() });
    return (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body: text })).status;
  };

  expect(await send({ ...updated, data: { ...updated.data, first_name: 'Forged' } }, 'whsec_bm90IHRoZSBzZWNyZXQgYXQgYWxs')).toBe(401);
  expect([await send(updated), await send(updated)]).toEqual([204, 204]);
  expect(await readAda()).toMatchObject({ first_name: 'Augusta', active: true, sequence: updated.sequence });
  expect(await send(created)).toBe(204);
  expect(await readAda()).toMatchObject({ first_name: 'Augusta', sequence: updated.sequence });
  expect(receiver.output().match(new RegExp(`^${updated.sequence} user\\.updated`, 'gm'))).toHaveLength(2);
});

it('--reload makes the tables equal to the directory again', async () => {
  await stopExample();
  await startExample(['--reload']);
  const { users } = await readTables();
  expect(users).toEqual(['ada@example.com inactive', 'grace@example.com active', 'linus@example.com deleted']);
  expect(await readAda()).toMatchObject({ first_name: 'Ada', sequence: await lastSequence() });
});

it('after an outage, missed events come from the feed before any webhook', async () => {
  await stopExample();
  await steerDelivery('pause');
  await create('/Users', 'barbara', person('barbara'));
  await patch(`/Users/${ids['grace']}`, { op: 'replace', path: 'active', value: false });
  await startExample();
  expect(receiver.output()).toContain('caught up');
  expect((await readTables()).users).toEqual([
    'ada@example.com inactive',
    'barbara@example.com active',
    'grace@example.com inactive',
    'linus@example.com deleted',
  ]);
});

it('events that were skipped are noticed by the gap in their sequence', async () => {
  // Its delivery is still paused, and it is skipped.
  await create('/Users', 'joan', person('joan'));
  const missed = await lastSequence();
  await steerDelivery('resume', { from: 'now' });
  await create('/Users', 'edsger', person('edsger'));
  await until(() => hasApplied(missed + 1));
  expect((await readTables()).users).toEqual(expect.arrayContaining(['edsger@example.com active', 'joan@example.com active']));
});

it('the example does not start without its variables', async () => {
  await using program = startProgram('node', ['examples/users-table/server.mjs'], { cwd: packageRoot, env: {} });
  await until(() => !program.isRunning());
  expect(program.child.exitCode).toBe(1);
  expect(program.output()).toMatch(/DATABASE_URL, ROLLCALL_URL, /);
});
