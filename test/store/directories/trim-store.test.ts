import { expect, it } from '@jest/globals';
import { applyInTransaction } from '../../../src/directory/changes/apply-to-directory.ts';
import type { Mutation } from '../../../src/directory/changes/mutation.ts';
import { defaultQuotas, type Quotas } from '../../../src/directory/quotas.ts';
import type { FeedPage, TransactionPlace } from '../../../src/directory/feed/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createChangeStore } from '../../../src/store/changes/change-store.ts';
import { readDirectoryHealth } from '../../../src/store/directories/directory-health.ts';
import { createEventFeedStore } from '../../../src/store/event-feed/event-feed-store.ts';
import { createTrimStore } from '../../../src/store/directories/trim-store.ts';
import { unlimitedReads } from '../../support/unlimited-reads.ts';
import { untilReadable } from '../../support/until-readable.ts';
import { setUpDrain } from '../../support/drain.ts';
import { trimHistory } from '../../../src/directory/maintenance/retention.ts';
import { statusOf } from '../../support/status-of.ts';

const target = setUpDrain();
const limit = 30_000;

const trim = (quotas: Partial<Quotas> = { historyBytes: limit }) =>
  trimHistory(createTrimStore(target.db, { ...defaultQuotas, ...quotas }));
const used = async () => (await readDirectoryHealth(target.db, target.directoryId))!.used;
const ours = (table: string) => target.db(table).where({ directory_id: target.directoryId });
const createUser = (agoMs = 0): Mutation => ({
  id: newId(Date.now() - agoMs),
  directoryId: target.directoryId,
  kind: 'createUser',
  resourceId: newId(),
  resource: { userName: newId(), title: 'x'.repeat(1_000) },
});
const apply = async (...mutations: Mutation[]) =>
  (await applyInTransaction(createChangeStore(target.db), target.directoryId, mutations)).outcomes;
async function push(count: number, agoMs?: number): Promise<Mutation[]> {
  const users = Array.from({ length: count }, () => createUser(agoMs));
  for (const user of users) await apply(user);
  return users;
}
const sequencesOf = (table = 'stored_events') => ours(table).orderBy('sequence').pluck<number[]>('sequence');
const elevenMinutesMs = 660_000;
const makeOutcomesOld = () => ours('mutations').update({ applied_at: target.db.raw(`applied_at - interval '11 minutes'`) });

it('drops the oldest delivered events beyond the limit, records how far, and never drops an undelivered one', async () => {
  await push(60);
  await target.drain();
  await push(5);
  const before = await sequencesOf();
  await trim();
  const after = await sequencesOf();
  expect(after.length).toBeLessThan(before.length);
  expect(after).toEqual(before.slice(-after.length));
  const { rows } = await target.db.raw(
    `select sum(bytes) filter (where sequence <= 60) as kept, max(bytes) as largest from stored_events where directory_id = ?`,
    [target.directoryId],
  );
  expect(Number(rows[0].kept)).toBeGreaterThanOrEqual(limit * 0.9);
  expect(Number(rows[0].kept)).toBeLessThan(limit * 0.9 + rows[0].largest);
  expect(await target.db('directories').where({ id: target.directoryId }).first()).toMatchObject({ swept_sequence: after[0]! - 1 });
  expect((await used()).undeliveredBytes).toBeGreaterThan(0);
  await trim();
  expect(await sequencesOf()).toEqual(after);
  await target.drainNow();
  expect(target.sequences().flat().slice(-5)).toEqual([61, 62, 63, 64, 65]);
});

it('does not change directories within the limit', async () => {
  await push(10);
  await target.drain();
  await trim();
  expect(await sequencesOf()).toHaveLength(10);
  const own = target.db('directories').where({ id: target.directoryId });
  await own.clone().update({ quotas: JSON.stringify({ history_bytes: 5_000 }) });
  await trim({});
  expect((await sequencesOf()).length).toBeLessThan(10);
});

it('drops the oldest deliveries beyond the limit with their attempts, and none that can still be sent', async () => {
  await push(20);
  target.respond = () => ({
    statusCode: 200,
    details: { requestHeaders: {}, responseHeaders: {}, responseBody: 'y'.repeat(1_000), timings: { totalMs: 1 } },
  });
  await target.drain();
  const [first] = await ours('webhook_batches').orderBy('from_sequence').limit(1);
  await ours('webhook_batches').where({ id: first.id }).update({ status: 'skipped' });
  const kept = (await used()).historyBytes;
  const { rows } = await target.db.raw(
    `select sum(bytes) + (select sum(length(response_body)) from webhook_attempts where directory_id = :id) as texts from webhook_batches where directory_id = :id`,
    { id: target.directoryId },
  );
  expect(kept).toBeGreaterThan(Number(rows[0].texts));
  expect(kept).toBeLessThan(Number(rows[0].texts) + 20 * 1_500);
  await trim();
  const left = await ours('webhook_batches').orderBy('from_sequence').pluck<number[]>('from_sequence');
  expect(left[0]).toBe(1);
  expect(left.slice(1)).toEqual(Array.from({ length: left.length - 1 }, (_, index) => 22 - left.length + index));
  expect(left.length).toBeGreaterThan(2);
  expect(left.length).toBeLessThan(20);
  expect(await ours('webhook_attempts')).toHaveLength(left.length);
  expect((await used()).historyBytes).toBeLessThanOrEqual(limit);
});

it('drops the oldest outcomes beyond the limit after ten minutes, and does not apply those mutations again', async () => {
  const users = await push(20, elevenMinutesMs);
  await trim({ historyBytes: 4_000 });
  expect(await ours('mutations')).toHaveLength(20);
  await makeOutcomesOld();
  users.push(...(await push(20)));
  await trim({ historyBytes: 4_000 });
  const left = new Set(await ours('mutations').pluck<string[]>('id'));
  const dropped = 40 - left.size;
  expect(dropped).toBeGreaterThan(0);
  const newest = users.slice(dropped).map(({ id }) => id);
  expect(left).toEqual(new Set(newest));
  const again = await apply(...users);
  expect(again.slice(dropped)).toMatchObject(newest.map((mutationId) => ({ mutationId, version: 1 })));
  expect(await ours('users')).toHaveLength(40);
  expect(new Set(again.slice(0, dropped).map(statusOf))).toEqual(new Set([503]));
  expect(await apply(createUser())).toMatchObject([{ version: 1 }]);
});

it('marks the oldest events of a directory without a webhook as read beyond its limit, and keeps the others for the feed', async () => {
  await ours('webhook_endpoints').update({ url: null });
  await push(60);
  await trim({ undeliveredBytes: limit });
  const { acked_sequence: acked } = await target.endpoint();
  expect(acked).toBeGreaterThan(20);
  const bytes = (await used()).undeliveredBytes;
  expect(bytes).toBeGreaterThanOrEqual(limit * 0.9);
  expect(bytes).toBeLessThan(limit);
  expect(await sequencesOf()).toHaveLength(60);
  await trim({ undeliveredBytes: limit, historyBytes: 5_000 });
  const left = await sequencesOf();
  expect(left.at(-1)).toBe(60);
  expect(left[0]).toBeGreaterThan(10);
  await ours('webhook_endpoints').update({ url: 'http://127.0.0.1:1/' });
  await trim({ undeliveredBytes: 1_000, historyBytes: 5_000 });
  expect((await target.endpoint()).acked_sequence).toBe(acked);
  await target.drain();
  expect(target.sequences().flat()).toEqual(Array.from({ length: 60 - acked }, (_, index) => acked + 1 + index));
});

it('counts only what retention has left', async () => {
  await push(10);
  await target.drain();
  await ours('mutations').update({ applied_at: new Date(0) });
  expect((await used()).historyBytes).toBeGreaterThan(0);
  await createChangeStore(target.db).deleteOldOutcomes(100);
  const { outcome_bytes: written, trimmed_outcome_bytes: dropped } = await target
    .db('directories')
    .where({ id: target.directoryId })
    .first();
  expect([written, dropped]).toEqual([written, written]);
  expect(written).toBeGreaterThan(2_000);
});

it('trims many directories page by page, and continues after its time budget ends', async () => {
  const own = JSON.stringify({ history_bytes: 2_000 });
  await push(10);
  await target.drain();
  await target.db('directories').where({ id: target.directoryId }).update({ quotas: own });
  let now = 0;
  await trimHistory(createTrimStore(target.db), { timeoutMs: 0, now: () => (now += 1) });
  expect(await sequencesOf()).toHaveLength(10);
  const store = createTrimStore(target.db);
  const ids: string[] = [];
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined;) {
    const page: Awaited<ReturnType<typeof store.findSurplus>> = await store.findSurplus({ after, limit: 2 });
    ids.push(...page.found.map(({ directoryId }) => directoryId));
    ({ after } = page);
  }
  expect(ids).toContain(target.directoryId);
  expect(new Set(ids).size).toBe(ids.length);
  await trimHistory(store);
  expect((await sequencesOf()).length).toBeLessThan(3);
});

it('reports dropped events to readers of the feed, and does not affect feeds of other tenants', async () => {
  const otherDirectoryId = newId();
  const beside = { tenant: 'b', product: 'p' };
  await target.db('directories').insert({ id: otherDirectoryId, ...beside, name: 'n', type: 'generic-scim-v2' });
  await target.db('webhook_endpoints').insert({ id: newId(), directory_id: otherDirectoryId });
  const pushBeside = async () =>
    applyInTransaction(createChangeStore(target.db), otherDirectoryId, [{ ...createUser(), directoryId: otherDirectoryId }]);
  await pushBeside();
  await push(30);
  await pushBeside();
  await target.drain();
  const own = { tenant: 'trimmed', product: 'p' };
  await target.db('directories').where({ id: target.directoryId }).update(own);
  await untilReadable(target.db);
  const store = createEventFeedStore(unlimitedReads(target.db));
  const read = (owner: typeof own | undefined, after?: TransactionPlace) => store.readAcross(owner, { order: 'asc', limit: 1, after });
  const [first, firstBeside] = (await Promise.all([read(own), read(beside)])) as FeedPage<TransactionPlace>[];
  await trim({ historyBytes: 10_000 });
  const left = await sequencesOf();

  expect(await read(beside, firstBeside!.place)).toMatchObject({ events: [{ directory: { id: otherDirectoryId }, sequence: 2 }] });
  expect(await read(beside)).toMatchObject({ events: [{ directory: { id: otherDirectoryId }, sequence: 1 }] });
  const oldestAt = (await ours('stored_events').orderBy('sequence').first()).occurred_at;
  for (const owner of [own, undefined]) expect(await read(owner, first!.place)).toEqual({ lost: 'swept', oldestAt });
  expect(await store.readDirectory({ directoryId: target.directoryId }, { order: 'asc', limit: 1, after: { sequence: 1 } })).toMatchObject({
    lost: 'swept',
  });
  // The next call continues from there.
  const again = (await read(own)) as FeedPage<TransactionPlace>;
  expect(again.events).toMatchObject([{ sequence: left[0] }]);
  expect(await read(own, again.place)).toMatchObject({ events: [{ sequence: left[1] }] });
});
