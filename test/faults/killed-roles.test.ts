import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const members = 6_400;

it.each(everyRound)(
  'the roles of a renamed group are computed after a process was killed, and each member is told once (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    await using first = await installation.start();
    const { id, scim } = await installation.createDirectory();
    const group = (await scim('POST', '/Groups', { displayName: 'Former' })).body.id;
    await db.raw(
      `with counted as (update all_directories set user_count = :members, membership_count = :members where id = :id),
       counted_members as (update groups set member_count = :members where directory_id = :id),
       users_inserted as (
         insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
         select :id, cast('01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid), 'u' || n, 'u' || n, true, '', '', '',
           jsonb_build_object('userName', 'u' || n), now(), now()
         from generate_series(1, :members) n)
       insert into group_members (directory_id, group_id, member_id, kind)
       select :id, :group, cast('01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid), 'user' from generate_series(1, :members) n`,
      { id, group, members },
    );
    const progress = async () => (await db('attribute_recomputes').where({ directory_id: id }).first('done', 'finished_at'))!;
    const ended = async () => (await progress()).finished_at !== null;
    const countNoted = async () => Number((await db('users_to_recompute').where({ directory_id: id }).count())[0]!['count']);
    const table = { groups: [{ group_name: 'Admins', role: 'admin' }] };
    expect((await installation.api('PUT', `/api/v1/directory-sync/${id}/roles`, table)).status).toBe(200);
    await until(ended, { timeoutMs: 120_000 });
    const rename = { Operations: [{ op: 'replace', path: 'displayName', value: 'Admins' }] };
    expect((await scim('PATCH', `/Groups/${group}`, rename)).status).toBeLessThan(300);
    await until(async () => (await countNoted()) < members, { timeoutMs: 120_000 });
    await first.kill();
    expect([await ended(), (await countNoted()) > 0]).toEqual([false, true]);

    await using second = await installation.start();
    await until(ended, { timeoutMs: 120_000 });
    const { rows } = await db.raw(
      `select (select count(*) from users where directory_id = :id and roles = '["admin"]') as computed,
         count(*) as events, count(distinct data ->> 'id') as told, min(data ->> 'role') as role
       from events where directory_id = :id and data ->> 'reason' = 'mapping'`,
      { id },
    );
    expect(rows).toEqual([{ computed: members, events: members, told: members, role: 'admin' }]);
    expect(await countNoted()).toBe(0);
    await second.kill();
    await installation.remove();
  },
  240_000,
);
