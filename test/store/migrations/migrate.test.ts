import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { StartupError } from '../../../src/errors.ts';
import { createKeyring } from '../../../src/keyring.ts';
import { migrate, readSchemaState } from '../../../src/store/migrations/migrate.ts';
import { migrationNames } from '../../../src/store/migrations/index.ts';
import { inEmptyDatabase, inMigratedDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { checkEncryption } from '../../../src/store/encryption/keys-in-use.ts';

it('lets processes that start at the same time migrate one after the other', () =>
  inEmptyDatabase(async (url, db) => {
    expect(await readSchemaState(db)).toBe('none');
    await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
    expect(await db('knex_migrations').pluck('name')).toEqual(migrationNames);
    expect(await readSchemaState(db)).toBe('known');
  }));

it("continues after a process died while it held knex's lock", () =>
  inMigratedDatabase(async (url, db) => {
    await db('knex_migrations').delete();
    const tables = await db('pg_tables').where({ schemaname: 'public' }).whereNot('tablename', 'like', 'knex%').pluck('tablename');
    await db.raw(`drop table ${tables.join(', ')} cascade`);
    await db.raw(`drop function ${(await functionsOf(db)).join(', ')}`);
    await db('knex_migrations_lock').update({ is_locked: 1 });
    await migrate(url);
    expect(await readSchemaState(db)).toBe('known');
  }));

const functionsOf = async (db: Knex) =>
  (
    await db('pg_proc')
      .whereRaw(`pronamespace = 'public'::regnamespace`)
      .select<{ name: string }[]>(db.raw('oid::regprocedure::text as name'))
  ).map(({ name }) => name);
const addMigration = (db: Knex, name: string) => db('knex_migrations').insert({ name, batch: 2 });

it('accepts the schema of a newer version that only adds, and leaves it as it is', () =>
  inMigratedDatabase(async (url, db) => {
    await addMigration(db, '999_future');
    await migrate(url);
    expect(await db('knex_migrations').orderBy('id').pluck('name')).toEqual([...migrationNames, '999_future']);
    expect(await readSchemaState(db)).toBe('newer');
  }));

it('rejects the schema of a newer version after a breaking migration, or if one of its own is missing', () =>
  inMigratedDatabase(async (url, db) => {
    await addMigration(db, '998_future');
    await addMigration(db, '999_future_breaking');
    await expect(migrate(url)).rejects.toThrow(StartupError);
    await expect(migrate(url)).rejects.toThrow(/newer version of Rollcall \(998_future, 999_future_breaking\)/);
    expect(await readSchemaState(db)).toBe('other');
    await db('knex_migrations')
      .whereIn('name', ['999_future_breaking', migrationNames.at(-1)!])
      .delete();
    await expect(migrate(url)).rejects.toThrow(/newer version of Rollcall \(998_future\)/);
    expect(await readSchemaState(db)).toBe('other');
  }));

it('lets requests on a table pass while a long transaction keeps it from migrating', () =>
  inEmptyDatabase(async (url, db) => {
    // The last migration drops an index of this table.
    const upTo = migrationNames.slice(0, migrationNames.indexOf('017_deliveries_in_order'));
    await migrate(url, { upTo });
    const long = await db.transaction();
    await long('webhook_batches').select();
    await expect(migrate(url, { tableLockTimeoutMs: 50, giveUpAfterMs: 0 })).rejects.toThrow('because a long transaction locks a table');
    let isMigrated = false;
    const migrating = migrate(url, { tableLockTimeoutMs: 50 }).then(() => (isMigrated = true));
    const waits = () => db('pg_locks').where({ granted: false, mode: 'AccessExclusiveLock' });
    for (let round = 0; round < 3; round += 1) {
      await until(async () => (await waits()).length > 0, { everyMs: 5 });
      expect(await db('webhook_batches').select()).toEqual([]);
    }
    expect([isMigrated, await readSchemaState(db)]).toEqual([false, 'other']);
    await long.commit();
    await migrating;
    expect(await readSchemaState(db)).toBe('known');
  }));

it('reports what is wrong with the address of the database', async () => {
  const server = process.env['TEST_POSTGRES_URL']!;
  await expect(migrate(server.replace(/\/postgres$/, '/nowhere'))).rejects.toThrow('has no such database');
  await expect(migrate(server.replace(/:[^:@/]+@/, ':wrong@'))).rejects.toThrow('rejects the user or the password');
  await expect(migrate('postgres://127.0.0.1:1/x')).rejects.toThrow('does not respond: start it, or correct DATABASE_URL.');
});

it('rejects a database whose secrets were encrypted with another key', () =>
  inMigratedDatabase(async (_url, db) => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    await checkEncryption(db, createKeyring([first]));
    await checkEncryption(db, createKeyring([second, first]));
    await expect(checkEncryption(db, createKeyring([second]))).rejects.toThrow(StartupError);
  }));

it('counts the usage of directories that existed before quotas', () =>
  inMigratedDatabase(async (url, db) => {
    await db.raw('alter table groups drop column member_count');
    await db.raw('drop view directories');
    await db.raw('alter table all_directories drop column quotas, drop column membership_count, drop column resource_bytes');
    await db.raw('create view directories as select * from all_directories where deleting_at is null');
    await db('knex_migrations').where({ name: '009_quotas' }).delete();
    const [id, empty, group, lonely] = [1, 2, 3, 4].map((digit) => `00000000-0000-7000-8000-00000000000${digit}`);
    for (const directory of [id, empty])
      await db('directories').insert({ id: directory, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    const row = { directory_id: id, resource: JSON.stringify({ displayName: 'ü' }), created_at: new Date(), updated_at: new Date() };
    for (const one of [group, lonely]) await db('groups').insert({ ...row, id: one, display_name: one, display_name_key: one });
    await db('group_members').insert({ directory_id: id, group_id: group, member_id: empty, kind: 'user' });
    await db('pending_members').insert({ directory_id: id, group_id: group, value: 'A', value_key: 'a' });
    await migrate(url);
    expect(await db('groups').orderBy('id').pluck('member_count')).toEqual([2, 0]);
    expect(await db('directories').orderBy('id').select('membership_count', 'resource_bytes', 'quotas')).toEqual([
      { membership_count: 2, resource_bytes: 2 * '{"displayName": "ü"}'.length + 2, quotas: null },
      { membership_count: 0, resource_bytes: 0, quotas: null },
    ]);
  }));
