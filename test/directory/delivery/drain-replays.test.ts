import { describe, expect, it } from '@jest/globals';
import type { SequenceWatch } from '../../../src/directory/delivery/ports.ts';
import { newId } from '../../../src/ids.ts';
import { createSequenceWatch } from '../../../src/store/deliveries/sequence-watch.ts';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain, drainNow, sequences, endpoint } = drained;

const replay = async (...ranges: [number, number][]) => {
  const { id: endpointId } = (await endpoint()) as { id: string };
  const id = newId();
  const total = ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  await drained
    .db('webhook_replays')
    .insert({ directory_id: drained.directoryId, id, endpoint_id: endpointId, mode: 'range', ranges: JSON.stringify(ranges), total });
  return { id, row: () => drained.db('webhook_replays').where({ directory_id: drained.directoryId, id }).first() };
};

describe('a replay', () => {
  it('sends its events again, with a header and with new IDs', async () => {
    await push(6);
    await drain();
    const { id, row } = await replay([2, 3], [6, 6]);
    expect(await drain()).toEqual({ kind: 'drained' });
    expect(sequences().slice(6)).toEqual([[2], [3], [6]]);
    expect(drained.sent.slice(6).map(({ headers }) => headers)).toEqual([1, 2, 3].map(() => ({ 'webhook-replay': id })));
    const replayed = [1, 2, 5].map((index) => drained.sent[index]!.body.replace('"reason":"scim"', '"reason":"replay"'));
    expect(drained.sent.slice(6).map(({ body }) => body)).toEqual(replayed);
    expect(new Set(drained.sent.map((request) => request.id)).size).toBe(9);
    expect(await row()).toMatchObject({ status: 'done', done: 3, total: 3 });
    expect(await endpoint()).toMatchObject({ acked_sequence: 6 });
  });

  it('starts while the delivery waits for more events', async () => {
    await push(1);
    const watch = createSequenceWatch(drained.db);
    let waits = 0;
    const waitFor: SequenceWatch['waitFor'] = async (...args) => {
      waits += 1;
      if (waits > 1) return undefined;
      const waiting = watch.waitFor(...args);
      await replay([1, 1]);
      return waiting;
    };
    expect(await drain({ watch: { ...watch, waitFor }, lingerMs: 40_000 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1], [1]]);
    expect(waits).toBe(2);
  }, 30_000);

  it('sends live events first', async () => {
    await push(3);
    await drain();
    await replay([1, 3]);
    drained.respond = async (_, count) => {
      if (count === 4) await push(2);
      return 200;
    };
    await drain();
    expect(sequences().slice(3)).toEqual([[1], [4], [5], [2], [3]]);
  });

  it('fails when some of its events were deleted', async () => {
    await push(4);
    await drain();
    const { row } = await replay([1, 4]);
    await drained.db('events').where({ directory_id: drained.directoryId }).where('sequence', '<=', 3).delete();
    await drain();
    expect(sequences().slice(4)).toEqual([[4]]);
    expect(await row()).toMatchObject({ status: 'failed', done: 1, status_reason: expect.stringContaining('Of 4 events 1 could be sent') });
  });

  it('retries on its own schedule, and its failure does not affect live events', async () => {
    await push(1);
    await drain();
    const { row } = await replay([1, 1]);
    drained.respond = () => 500;
    for (let attempt = 1; attempt <= 3; attempt += 1) expect(await drainNow()).toEqual({ kind: 'retry', delayMs: expect.any(Number) });
    drained.respond = ([sequence]) => (sequence === 2 ? 200 : 500);
    await push(1);
    expect(await drainNow()).toEqual({ kind: 'drained' });
    expect(await row()).toMatchObject({ status: 'failed', done: 0, status_reason: expect.stringContaining('exhausted') });
    expect(await endpoint()).toMatchObject({ acked_sequence: 2, status: 'active' });
  });
});
