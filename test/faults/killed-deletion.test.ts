import { expect, it } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import { until } from '../support/until.ts';

it('is gone on with after the process that was at it was killed', async () => {
  const installation = await createInstallation();
  const { db } = installation;
  await using first = await installation.start();
  const { id } = await installation.createDirectory();
  await db.raw(
    `insert into stored_events (directory_id, sequence, id, type, data, occurred_at)
     select :id, n, gen_random_uuid(), 'user.created', '{}', now() from generate_series(1, 300000) n`,
    { id },
  );
  const left = async () => (await db('events').where({ directory_id: id }).count<{ count: number }[]>())[0]!.count;
  expect((await installation.api('DELETE', `/api/v1/directory-sync/${id}`)).status).toBe(200);
  await until(async () => (await left()) < 300_000, { everyMs: 1 });
  await first.kill();
  expect(await left()).toBeGreaterThan(0);

  await using second = await installation.start();
  expect((await installation.api('GET', `/api/v1/directory-sync/${id}`)).status).toBe(404);
  await until(async () => (await db('all_directories').where({ id })).length === 0, { timeoutMs: 50_000 });
  expect(await left()).toBe(0);
  await second.kill();
  await installation.remove();
}, 240_000);
