import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

it.each(everyRound)(
  'a deletion continues after its process was killed (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    await using first = await installation.start();
    const { id } = await installation.createDirectory();
    await db.raw(
      `insert into stored_events (directory_id, sequence, id, type, data, occurred_at)
     select :id, n, gen_random_uuid(), 'user.created', '{}', now() from generate_series(1, 100000) n`,
      { id },
    );
    const left = async () => (await db('events').where({ directory_id: id }).count<{ count: number }[]>())[0]!.count;
    // The lock on the last event keeps the deletion from completing before its process is killed.
    const holder = await db.transaction();
    await holder('stored_events').where({ directory_id: id, sequence: 100_000 }).forUpdate().first('id');
    const locked = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect((await installation.api('DELETE', `/api/v1/directory-sync/${id}`)).status).toBe(200);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length > 0, { timeoutMs: 120_000 });
    await first.kill();
    // Postgres may not have noticed that the process is gone, and would still delete them.
    await db.raw(`select pg_terminate_backend(pid) from ${locked}`);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length === 0);
    await holder.rollback();
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(100_000);

    await using second = await installation.start();
    expect((await installation.api('GET', `/api/v1/directory-sync/${id}`)).status).toBe(404);
    await until(async () => (await db('all_directories').where({ id })).length === 0, { timeoutMs: 120_000 });
    expect(await left()).toBe(0);
    await second.kill();
    await installation.remove();
  },
  240_000,
);
