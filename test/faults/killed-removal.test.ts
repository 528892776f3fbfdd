import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const users = 2_000;

it.each(everyRound)(
  'a directory that is deleted with events tells of each user once, although its process was killed (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    const receiver = await startReceiver();
    await using first = await installation.start();
    const { id } = await installation.createDirectory({ webhook_url: receiver.url, on_directory_delete: 'events' });
    await db.raw(
      `with counted as (update all_directories set user_count = :users where id = :id)
       insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
       select :id, cast(lpad(to_hex(n), 8, '0') || '-0000-7000-8000-000000000000' as uuid), 'u' || n, 'u' || n, true, '', '', '',
         jsonb_build_object('userName', 'u' || n), now(), now() from generate_series(1, :users) n`,
      { id, users },
    );
    const left = async () => (await db('users').where({ directory_id: id }).count<{ count: number }[]>())[0]!.count;
    // The lock on the last user keeps the removal from completing before its process is killed.
    const holder = await db.transaction();
    await holder('users')
      .where({ directory_id: id, user_name: `u${users}` })
      .forUpdate()
      .first('id');
    const locked = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect((await installation.api('DELETE', `/api/v1/directory-sync/${id}?confirm=${users}`)).status).toBe(200);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length > 0, { timeoutMs: 120_000 });
    await first.kill();
    await db.raw(`select pg_terminate_backend(pid) from ${locked}`);
    await until(async () => (await db.raw(`select from ${locked}`)).rows.length === 0);
    await holder.rollback();
    expect(await left()).toBeGreaterThan(0);
    expect(await left()).toBeLessThan(users);

    await using second = await installation.start();
    await until(async () => (await db('all_directories').where({ id })).length === 0, { timeoutMs: 120_000 });
    const bySequence = new Map(receiver.received.map(({ event }) => [event.sequence, event.data.id]));
    expect([bySequence.size, new Set(bySequence.values()).size]).toEqual([users, users]);
    expect(Math.max(...bySequence.keys())).toBe(users);
    await second.kill();
    await receiver.close();
    await installation.remove();
  },
  240_000,
);
