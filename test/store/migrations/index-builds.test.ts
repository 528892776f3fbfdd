import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { newId } from '../../../src/ids.ts';
import { migrationNames } from '../../../src/store/migrations/index.ts';
import { migrate, readSchemaState } from '../../../src/store/migrations/migrate.ts';
import { createAdvisoryLock } from '../../../src/store/sql/advisory-lock.ts';
import { inEmptyDatabase } from '../../support/database.ts';
import { spawnRollcall } from '../../support/process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

/** Migrates to the schema before the index, and runs `work` while a transaction adds a user. */
const duringLongTransaction = (
  work: (given: { url: string; db: Knex; directoryId: string; commit: () => Promise<unknown> }) => Promise<void>,
) =>
  inEmptyDatabase(async (url, db) => {
    await migrate(url, { upTo: migrationNames.slice(0, migrationNames.indexOf('025_imported_in_order')) });
    const directoryId = newId();
    await db('directories').insert({ id: directoryId, tenant: 't', product: 'p', name: 'n', type: 'generic-scim-v2' });
    const long = await db.transaction();
    try {
      await addUser(long, directoryId, 'first');
      await work({ url, db, directoryId, commit: async () => long.commit() });
    } finally {
      if (!long.isCompleted()) await long.rollback();
    }
  });

const addUser = (db: Knex, directoryId: string, name: string) =>
  db('users').insert({
    directory_id: directoryId,
    id: newId(),
    user_name: name,
    user_name_key: name,
    active: true,
    first_name: '',
    last_name: '',
    email: '',
    resource: JSON.stringify({ userName: name }),
    created_at: new Date(),
    updated_at: new Date(),
  });

/** The server processes that wait for others in a statement that begins like this. */
const waiting = (db: Knex, statement: string) =>
  db('pg_stat_activity')
    .where('query', 'like', `${statement}%`)
    .where({ datname: db.raw('current_database()'), wait_event_type: 'Lock' })
    .pluck<number[]>('pid');

const untilBuildWaits = (db: Knex): Promise<number> => until(async () => (await waiting(db, 'create index concurrently'))[0]);

const indexes = async (db: Knex) => {
  const rows = await db('pg_index as i')
    .join('pg_class as c', 'c.oid', 'i.indexrelid')
    .where('c.relname', 'like', '%_imported_in_order')
    .orderBy('c.relname')
    .select('c.relname as name', 'i.indisvalid as isValid');
  return rows.map(({ name, isValid }) => `${name} ${isValid ? 'valid' : 'invalid'}`);
};
const complete = ['groups_imported_in_order valid', 'users_imported_in_order valid'];

it('lets users be added while it builds an index, and nothing of Rollcall delays it', () =>
  duringLongTransaction(async ({ url, db, directoryId, commit }) => {
    await createAdvisoryLock(url)(directoryId, async () => {
      const migrating = migrate(url);
      await untilBuildWaits(db);
      await addUser(db, directoryId, 'second');
      expect(await readSchemaState(db)).toBe('other');
      await commit();
      await migrating;
    });
    expect(await indexes(db)).toEqual(complete);
    expect(await readSchemaState(db)).toBe('known');
    expect(await db('users').orderBy('user_name').pluck('user_name')).toEqual(['first', 'second']);
  }));

it('replaces the unfinished index of a connection that was lost', () =>
  duringLongTransaction(async ({ url, db, commit }) => {
    const failing = migrate(url).catch(String);
    await db.raw('select pg_terminate_backend(?)', [await untilBuildWaits(db)]);
    expect(await failing).toContain('terminating connection');
    await commit();
    expect(await indexes(db)).toEqual(['users_imported_in_order invalid']);
    await migrate(url);
    expect(await indexes(db)).toEqual(complete);
  }));

it('is completed by the next process while Postgres continues the build of a killed one', () =>
  duringLongTransaction(async ({ url, db, commit }) => {
    await using folder = await temporaryFolder();
    const killed = spawnRollcall({ command: ['migrate'], folder: folder.path, env: { DATABASE_URL: url } });
    await untilBuildWaits(db);
    await killed.kill();
    const migrating = migrate(url);
    await until(async () => (await waiting(db, 'drop index concurrently')).length > 0);
    expect(await waiting(db, 'create index concurrently')).toHaveLength(1);
    await commit();
    await migrating;
    expect(await indexes(db)).toEqual(complete);
  }));

it('says what to do if a transaction outlasts it, or the role limits statements behind a pooler', () =>
  duringLongTransaction(async ({ url, db, commit }) => {
    await expect(migrate(url, { giveUpAfterMs: 50 })).rejects.toThrow('because a long transaction locks a table');
    await db.raw(`do $$ begin execute format('alter database %I set statement_timeout = 50', current_database()); end $$`);
    await expect(migrate(url, { pooler: 'transaction' })).rejects.toThrow('longer than the statement_timeout of the role');
    await commit();
    await migrate(url);
    expect(await indexes(db)).toEqual(complete);
  }));
