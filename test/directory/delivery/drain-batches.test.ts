import { describe, expect, it } from '@jest/globals';
import { setUpDrain } from '../../support/drain.ts';

const drained = setUpDrain();
const { push, drain, drainNow, sequences, endpoint } = drained;

describe('in batch mode', () => {
  it('sends arrays of at most the batch size', async () => {
    await push(7);
    expect(await drain({ batchSize: 3 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
    expect(drained.sent.map(({ body }) => body.startsWith('['))).toEqual([true, true, true]);
  });

  it('limits a batch to 256 KiB, and sends a larger event alone', async () => {
    await push(3, { nickName: 'x'.repeat(100_000) });
    await push(1, { nickName: 'x'.repeat(400_000) });
    await push(1);
    await drain({ batchSize: 100 });
    expect(sequences()).toEqual([[1, 2], [3], [4], [5]]);
    expect(drained.sent.slice(0, 2).every(({ body }) => Buffer.byteLength(body) <= 262_144)).toBe(true);
  });

  it('leaves events that arrive meanwhile to the next drain', async () => {
    await push(2);
    drained.respond = async (_, count) => {
      if (count === 1) await push(1);
      return 200;
    };
    await drain({ batchSize: 2 });
    expect(sequences()).toEqual([[1, 2]]);
    await drain({ batchSize: 2 });
    expect(sequences()).toEqual([[1, 2], [3]]);
  });

  it('finds the event that a receiver rejects, and delivers all events before it', async () => {
    await push(16);
    drained.respond = (batch) => (batch.includes(11) ? 422 : 200);
    for (let round = 1; round <= 3; round += 1) await drainNow({ batchSize: 16 });
    expect(sequences().slice(0, 3)).toEqual(Array.from({ length: 3 }, () => Array.from({ length: 16 }, (_, index) => index + 1)));
    expect(sequences().slice(3)).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8],
      [9, 10, 11, 12, 13, 14, 15, 16],
      [9, 10, 11, 12],
      [9, 10],
      [11, 12],
      [11],
    ]);
    expect(await endpoint()).toMatchObject({ acked_sequence: 10, status: 'active' });
    drained.respond = () => 200;
    await drainNow({ batchSize: 16 });
    expect(sequences().slice(9)).toEqual([[11], [12], [13, 14], [15, 16]]);
  });

  it('splits a batch that is too large immediately', async () => {
    await push(4);
    drained.respond = (batch) => (batch.length > 2 ? 413 : 200);
    expect(await drain({ batchSize: 4 })).toEqual({ kind: 'drained' });
    expect(sequences()).toEqual([
      [1, 2, 3, 4],
      [1, 2],
      [3, 4],
    ]);
  });

  it.each([429, 502, 503, 504])('sends smaller batches after a %d, and larger ones once those are acknowledged', async (status) => {
    await push(8);
    drained.respond = (_, count) => (count === 1 ? status : 200);
    expect(await drain({ batchSize: 4 })).toEqual({ kind: 'retry', delayMs: 1_000 });
    await push(8);
    await drainNow({ batchSize: 4 });
    expect(sequences()).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
      [5, 6],
      [7, 8, 9, 10],
      [11, 12, 13, 14],
      [15, 16],
    ]);
  });
});
