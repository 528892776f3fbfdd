import { expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { createRunRecompute } from '../../../src/directory/attributes/run-recompute.ts';
import type { RecomputeKey } from '../../../src/directory/attributes/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createLogger } from '../../../src/logger.ts';
import { createAttributeStore } from '../../../src/store/attributes/attribute-store.ts';
import { createRecomputeStore } from '../../../src/store/attributes/recompute-store.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { applyChanges, createUser, useDirectory } from '../statements/directory.ts';

let db: Knex;
let directoryId: string;
useDirectory((found) => ({ db, directoryId } = found));

/** A recomputation of the directory, which has not run. */
async function request(): Promise<RecomputeKey> {
  const attributes = createAttributeStore(db);
  const product = newId();
  await db('all_directories').where({ id: directoryId }).update({ product });
  const schema = [{ name: 'job_title', type: 'string', multiValued: false, required: false } as const];
  await attributes.setSchema(product, schema, () => Promise.resolve());
  const changed = await attributes.setMapping(directoryId, { job_title: { path: 'userName' } }, () => undefined);
  return changed!.recompute!;
}

function run(key: RecomputeKey) {
  const woken: boolean[] = [];
  const runRecompute = createRunRecompute({
    recomputes: createRecomputeStore(db),
    changes: createChangeStore(db),
    onQuotaReached: () => undefined,
    onApplied: (_, { wake }) => Promise.resolve(void woken.push(wake)),
    log: createLogger('silent'),
  });
  return { woken, ended: runRecompute(key, new AbortController().signal) };
}

it('takes as many users as fit into the memory of a batch, and at least one', async () => {
  const ids = Array.from({ length: 5 }, () => newId()).sort();
  await applyChanges(
    { db, directoryId },
    ids.map((id, index) => createUser(id, `user-${index}`)),
  );
  await db.raw(
    `update users set resource = resource || jsonb_build_object('x', repeat('x', case when user_name = 'user-4' then 20000000 else 3000000 end))
     where directory_id = :directoryId`,
    { directoryId },
  );
  const key = await request();
  const recomputes = createRecomputeStore(db);
  const batches: string[][] = [];
  for (let batch = await recomputes.nextUsers(key, 64); batch && batch.userIds.length > 0; batch = await recomputes.nextUsers(key, 64)) {
    batches.push(batch.userIds);
    await recomputes.noteProgress(key, { after: batch.userIds.at(-1)!, users: batch.userIds.length });
  }
  expect(batches.flat()).toEqual(ids);
  expect(batches.length).toBeGreaterThan(1);
  expect(batches[0]!.length).toBeLessThan(4);
});

it('sees whether changes arrive without reading the outcomes of earlier ones', async () => {
  await applyChanges({ db, directoryId }, [createUser(newId(), 'ada')]);
  const key = await request();
  await db.raw(
    `insert into mutations (directory_id, id, outcome, applied_at)
     select :directoryId, gen_random_uuid(), '{"resourceId": "other"}', now() - interval '1 hour' from generate_series(1, 20000)`,
    { directoryId },
  );
  await db('mutations').where('applied_at', '>', db.raw(`now() - interval '1 minute'`)).delete();
  await db.raw('analyze mutations');
  const single = openDatabase((db.client.config as { connection: { connectionString: string } }).connection.connectionString, {
    poolSize: 1,
  });
  const recomputes = createRecomputeStore(single);
  const readRows = async () => {
    await single.raw('select pg_stat_force_next_flush()');
    const { rows } = await single.raw<{ rows: [{ n: number }] }>(
      `select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0) as n from pg_stat_user_tables where relname = 'mutations'`,
    );
    return rows[0].n;
  };
  const before = await readRows();
  expect(await recomputes.nextUsers(key, 64)).toMatchObject({ isBusy: false });
  expect((await readRows()) - before).toBeLessThan(10);
  await applyChanges({ db, directoryId }, [createUser(newId(), 'ben')]);
  expect(await recomputes.nextUsers(key, 64)).toMatchObject({ isBusy: true });
  await single.destroy();
});

it('wakes the delivery of what a process wrote before it died, also if nothing is left to compute', async () => {
  await applyChanges({ db, directoryId }, [createUser(newId(), 'ada')]);
  const key = await request();
  const [user] = (await createRecomputeStore(db).nextUsers(key, 64))!.userIds;
  await createRecomputeStore(db).noteProgress(key, { after: user!, users: 1 });
  const { woken, ended } = run(key);
  expect([await ended, woken]).toEqual(['done', [true]]);
});

it('lets others go first while it waits for the webhook', async () => {
  await applyChanges({ db, directoryId }, [createUser(newId(), 'ada')]);
  const key = await request();
  await db('attribute_recomputes')
    .where({ directory_id: directoryId })
    .update({ progressed_at: db.raw(`now() - interval '1 hour'`) });
  await db('all_directories')
    .where({ id: directoryId })
    .update({ quotas: JSON.stringify({ undelivered_bytes: 1 }) });
  expect(await createRecomputeStore(db).findUnfinished(10)).toEqual([key]);
  expect(await run(key).ended).toBe('wait');
  expect(await createRecomputeStore(db).findUnfinished(10)).toEqual([]);
  expect(await createAttributeStore(db).getMapping(directoryId)).toMatchObject({ recompute: { done: 0, finishedAt: undefined } });
});
