import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const events = 20_000;

it.each(everyRound)(
  'an erasure continues after its process was killed, and counts each event once (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    await using first = await installation.start();
    const { id } = await installation.createDirectory();
    const user = randomUUID();
    await db.raw(
      `with counted as (update all_directories set last_sequence = :events where id = :id)
       insert into stored_events (directory_id, sequence, id, type, data, occurred_at)
       select :id, n, gen_random_uuid(), 'user.updated', jsonb_build_object('id', cast(:user as text), 'email', 'ada@acme.example'), now()
       from generate_series(1, :events) n`,
      { id, user, events },
    );
    const left = async () =>
      (await db.raw(`select count(*) as count from stored_events where directory_id = ? and data ->> 'email' = 'ada@acme.example'`, [id]))
        .rows[0].count;
    // The lock on the last event keeps the erasure from completing before its process is killed.
    const holder = await db.transaction();
    await holder('stored_events').where({ directory_id: id, sequence: events }).forUpdate().first('id');
    const locked = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const path = `/api/v1/directory-sync/${id}/users/${user}/erase`;
    expect((await installation.api('POST', path)).status).toBe(202);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length > 0, { timeoutMs: 120_000 });
    await first.kill();
    await db.raw(`select pg_terminate_backend(pid) from ${locked}`);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length === 0);
    await holder.rollback();
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(events);

    await using second = await installation.start();
    const erasure = await until(
      async () => {
        const { body } = await installation.api('GET', path);
        return body.data.status === 'done' && body.data;
      },
      { timeoutMs: 120_000 },
    );
    expect(erasure.erased).toMatchObject({ events, undelivered_events: events });
    expect(await left()).toBe(0);
    const { body: log } = await installation.api('GET', `/api/v1/audit-log?action=user.erased`);
    expect(log.data).toHaveLength(1);
    await second.kill();
    await installation.remove();
  },
  240_000,
);
