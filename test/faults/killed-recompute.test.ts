import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { everyRound } from '../support/rounds.ts';
import { until } from '../support/until.ts';

const users = 6_400;

it.each(everyRound)(
  'a recomputation continues after its process was killed, and tells each user once (round %i)',
  async () => {
    const installation = await createInstallation();
    const { db } = installation;
    await using first = await installation.start();
    const { id } = await installation.createDirectory();
    await db.raw(
      `with counted as (update all_directories set user_count = :users where id = :id)
       insert into users (directory_id, id, user_name, user_name_key, active, first_name, last_name, email, resource, created_at, updated_at)
       select :id, cast('01a00000-0000-7000-8000-' || lpad(to_hex(n), 12, '0') as uuid), 'u' || n, 'u' || n, true, '', '', '',
         jsonb_build_object('userName', 'u' || n, 'title', 'T' || n), now(), now()
       from generate_series(1, :users) n`,
      { id, users },
    );
    const product = (await installation.api('GET', `/api/v1/directory-sync/${id}`)).body.data.product;
    const progress = async () => (await db('attribute_recomputes').where({ directory_id: id }).first('done', 'finished_at'))!;
    const { status } = await installation.api('PUT', '/api/v1/attribute-schemas', { product, attributes: [{ name: 'job_title' }] });
    expect(status).toBe(200);
    await until(async () => Number((await progress()).done) > 0, { timeoutMs: 120_000 });
    await first.kill();
    expect((await progress()).finished_at).toBeNull();
    expect(Number((await progress()).done)).toBeLessThan(users);

    await using second = await installation.start();
    await until(async () => (await progress()).finished_at !== null, { timeoutMs: 120_000 });
    const { rows } = await db.raw(
      `select (select count(*) from users where directory_id = :id and custom_attributes ->> 'job_title' = resource ->> 'title') as computed,
         count(*) as events, count(distinct data ->> 'id') as told, min(data ->> 'reason') as first_reason, max(data ->> 'reason') as last_reason
       from events where directory_id = :id`,
      { id },
    );
    expect(rows).toEqual([{ computed: users, events: users, told: users, first_reason: 'mapping', last_reason: 'mapping' }]);
    await second.kill();
    await installation.remove();
  },
  240_000,
);
