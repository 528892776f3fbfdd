import { expect, it } from '@jest/globals';
import { fillInactive } from '../support/inactive-users.ts';
import { createInstallation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const users = 12_000;

it.each(everyRound)(
  'a change of inactive_users in batches tells of each user once, in order, although its process was killed (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    await using first = await installation.start();
    const { id } = await installation.createDirectory();
    await fillInactive({ db }, id, users, 'true');
    const upto = async () =>
      (await db('all_directories').where({ id }).first<{ inactive_users_upto: string | null }>('inactive_users_upto')).inactive_users_upto;
    const path = `/api/v1/directory-sync/${id}`;
    const change = await installation.api('PATCH', path, { inactive_users: 'delete', confirm: users });
    expect([change.status, change.body.data.inactive_users_change]).toEqual([200, 'in_progress']);
    await until(async () => (await db('stored_events').where({ directory_id: id }).first('sequence')) !== undefined, {
      timeoutMs: 120_000,
      everyMs: 5,
    });
    await first.kill();
    expect(await upto()).not.toBeNull();

    await using second = await installation.start();
    await until(async () => (await upto()) === null, { timeoutMs: 120_000 });
    const { rows } = await db.raw(
      `select count(*) as events, count(distinct data ->> 'id') as told, max(sequence) as last, min(type) as first_type, max(type) as last_type
       from events where directory_id = :id`,
      { id },
    );
    expect(rows).toEqual([{ events: users, told: users, last: users, first_type: 'user.deleted', last_type: 'user.deleted' }]);
    await second.kill();
    await installation.remove();
  },
  240_000,
);
