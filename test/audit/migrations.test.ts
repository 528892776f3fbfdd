import { expect, it } from '@jest/globals';
import { createAuditStore } from '../../src/store/audit/audit-store.ts';
import { migrationNames } from '../../src/store/migrations/index.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { callRollcall } from '../cli/run-rollcall.ts';
import { inEmptyDatabase } from '../support/database.ts';
import { unlimitedReads } from '../support/unlimited-reads.ts';

const before = (name: string) => migrationNames.slice(0, migrationNames.indexOf(name));
const former = before(migrationNames.at(-1)!);
const changes = { migrations: 1, newest: migrationNames.at(-1) };

it.each([
  ['command_line', (url: string) => callRollcall(['migrate'], { env: { DATABASE_URL: url } })],
  ['service', (url: string) => migrate(url)],
] as const)('records who migrated a database, once (%s)', (type, run) =>
  inEmptyDatabase(async (url, db) => {
    await migrate(url, { upTo: former });
    const entries = async () =>
      (await createAuditStore(unlimitedReads(db)).list({}, {}, { order: 'asc', limit: 10 })).map(({ entry }) => entry);
    expect(await entries()).toEqual([]);
    await run(url);
    await run(url);
    expect(await entries()).toMatchObject([{ action: 'database.migrated', actor: { type }, targets: [], changes }]);
  }),
);

it('does not migrate if the entry cannot be added', () =>
  inEmptyDatabase(async (url, db) => {
    await migrate(url, { upTo: former });
    await db.raw('alter table audit_chain add constraint broken check (false) not valid');
    await expect(migrate(url)).rejects.toThrow(/broken/);
    expect(await db('knex_migrations').orderBy('id').pluck('name')).toEqual(former);
  }));

it('records the command for a new database afterwards, because the log is new too', () =>
  inEmptyDatabase(async (url, db) => {
    await callRollcall(['migrate'], { env: { DATABASE_URL: url } });
    const [entry, ...others] = await db('audit_log').pluck<string[]>('body');
    expect(others).toEqual([]);
    expect(JSON.parse(entry!)).toMatchObject({
      actor: { type: 'command_line', id: 'migrate' },
      changes: { migrations: migrationNames.length, newest: migrationNames.at(-1) },
    });
  }));
