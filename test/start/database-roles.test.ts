import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/store/database.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { spawnRollcall } from '../support/process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

const testTimeoutMs = 180_000;
const [owner, runner] = ['owner', 'runner'].map((name) => `${name}_${randomBytes(6).toString('hex')}`) as [string, string];
const password = randomBytes(12).toString('hex');

let database: TestDatabase;
let installation: Installation;
let receiver: Receiver;

const urlOf = (role: string) => {
  const url = new URL(database.url);
  return Object.assign(url, { username: role, password }).href;
};

/** The statements of the documentation, with the names of this test. */
const documented = (heading: string): string => {
  const text = readFileSync('docs/operate/deploy.md', 'utf8');
  const section = text.slice(text.indexOf('## Separate database roles'));
  const block = section.split('```sql\n').find((part) => part.startsWith(`-- ${heading}`))!;
  return block
    .slice(0, block.indexOf('```'))
    .replaceAll('rollcall_owner', owner)
    .replaceAll(/\brollcall\b/g, runner);
};

beforeAll(async () => {
  database = await createEmptyDatabase();
  receiver = await startReceiver();
  await database.db.raw(`create role ${owner} login password '${password}'`);
  await database.db.raw(`create role ${runner} login password '${password}'`);
  const { rows } = await database.db.raw<{ rows: [{ name: string }] }>('select current_database() as name');
  await database.db.raw('alter database ?? owner to ??', [rows[0].name, owner]);
  installation = await createInstallation({ databaseUrl: database.url, env: { DATABASE_URL: urlOf(runner), MIGRATIONS: 'manual' } });
}, testTimeoutMs);
afterAll(async () => {
  await installation?.remove();
  await receiver?.close();
  const { db } = database;
  await db.raw(`drop owned by ${runner}; reassign owned by ${owner} to current_user; drop owned by ${owner}`);
  await database.drop();
  const admin = openDatabase(process.env['TEST_POSTGRES_URL']!);
  await admin.raw(`drop role ${runner}, ${owner}`);
  await admin.destroy();
}, testTimeoutMs);

async function asOwner(work: (db: TestDatabase['db']) => Promise<unknown>) {
  const db = openDatabase(urlOf(owner));
  await work(db).finally(() => db.destroy());
}

it(
  'does not start before the database is migrated',
  async () => {
    await asOwner((db) => db.raw(documented('As rollcall_owner, before the first migration')));
    await expect(installation.start()).rejects.toThrow(/MIGRATIONS=manual/);
    expect((await database.db.raw(`select from pg_class where relnamespace = 'public'::regnamespace`)).rows).toEqual([]);
  },
  testTimeoutMs,
);

it(
  'runs with a role that may not change the schema, after another role has migrated',
  async () => {
    await using migration = spawnRollcall({
      command: ['migrate'],
      env: { ...installation.env, DATABASE_URL: urlOf(owner) },
      folder: installation.folder,
    });
    expect((await migration.exited).code).toBe(0);
    await asOwner((db) => db.raw(documented('As rollcall_owner, after the first migration')));
    await using service = await installation.start();
    const { body: audited } = await installation.api('GET', '/api/v1/audit-log?action=database.migrated');
    expect(audited.data).toMatchObject([{ actor: { type: 'command_line', id: 'migrate' }, changes: { migrations: expect.any(Number) } }]);
    const directory = await installation.createDirectory({ webhook_url: receiver.url });
    const created = await directory.scim('POST', '/Users', { userName: 'ada@acme.example' });
    expect(created.status).toBe(201);
    const { event } = await until(() => receiver.received[0]);
    expect(event).toMatchObject({ event: 'user.created', data: { id: created.body.id } });
    const path = `/api/v1/directory-sync/${directory.id}`;
    expect((await installation.api('POST', `${path}/users/${created.body.id}/erase`)).status).toBe(202);
    await until(async () => (await installation.api('GET', `${path}/users/${created.body.id}/erase`)).body.data.status === 'done');
    expect((await installation.api('DELETE', path)).status).toBe(200);
    await until(async () => (await database.db('all_directories')).length === 0);
    await service.kill();

    const db = openDatabase(urlOf(runner));
    for (const statement of [
      'create table mine (id int)',
      'alter table users add column mine text',
      'drop table users',
      'truncate audit_log',
      'alter table audit_log disable trigger all',
      `insert into knex_migrations (name, batch) values ('mine', 1)`,
    ])
      await expect(db.raw(statement)).rejects.toThrow(/permission denied|must be owner/);
    await db.destroy();
  },
  testTimeoutMs,
);
