import { expect, it } from '@jest/globals';
import { setUpDrain } from '../../support/drain.ts';
import { createSeededRandom } from '../../support/seed.ts';
import { until } from '../../support/until.ts';

/** The race is rare: set CONCURRENCY_ROUNDS to run more rounds. */
const rounds = Number(process.env['CONCURRENCY_ROUNDS'] ?? 3);

const random = createSeededRandom();
const drained = setUpDrain();
const { push, drain, sequences, endpoint } = drained;

/** Lets the others go on for this many queries, fewer than the limit. */
async function pause(limit: number) {
  for (let left = random.below(limit); left > 0; left -= 1) await drained.db.raw('select 1');
}

it('repeats the request of a superseded drain, and ignores its later result', async () => {
  await push(3);
  let respondToPredecessor: ((status: number) => void) | undefined;
  drained.respond = (_sequences, count) => (count > 1 ? 200 : new Promise((resolve) => (respondToPredecessor = resolve)));
  const predecessor = drain();
  await until(() => respondToPredecessor);
  expect(await drain()).toEqual({ kind: 'drained' });
  respondToPredecessor!(200);
  expect(await predecessor).toEqual({ kind: 'more' });
  expect(sequences()).toEqual([[1], [1], [2], [3]]);
  const [first, again] = drained.sent;
  expect([again!.id, again!.body]).toEqual([first!.id, first!.body]);
  expect(await endpoint()).toMatchObject({ acked_sequence: 3 });
});

it('ignores a failure that a superseded drain reports', async () => {
  await push(2);
  let respondToPredecessor: ((status: number) => void) | undefined;
  drained.respond = (_sequences, count) => (count > 1 ? 200 : new Promise((resolve) => (respondToPredecessor = resolve)));
  const predecessor = drain({ retryDelaysMs: [] });
  await until(() => respondToPredecessor);
  expect(await drain()).toEqual({ kind: 'drained' });
  respondToPredecessor!(500);
  expect(await predecessor).toEqual({ kind: 'more' });
  expect(await endpoint()).toMatchObject({ acked_sequence: 2, status: 'active', first_failure_at: null });
});

it('sends nothing after its process was suspended for so long that another drain may have begun', async () => {
  await push(3);
  let args = 0;
  expect(await drain({}, { hasStalled: () => (args += 1) > 2 })).toEqual({ kind: 'more' });
  expect(sequences()).toEqual([[1], [2]]);
  expect(await drain()).toEqual({ kind: 'drained' });
  expect(sequences()).toEqual([[1], [2], [3]]);
});

it(
  'loses nothing and keeps the order while drains overlap at random',
  async () => {
    for (let round = 0; round < rounds; round += 1) {
      const before = drained.sent.length;
      drained.respond = async () => {
        await pause(5);
        return random.below(5) === 0 ? 500 : 200;
      };
      const overlapping = async () => {
        for (let times = 0; times < 5; times += 1) {
          await pause(20);
          await drain({ retryDelaysMs: Array.from({ length: 50 }, () => 1) });
        }
      };
      const pushing = async () => {
        for (let count = 0; count < 10; count += 1) await push(2).then(() => pause(10));
      };
      await Promise.all([pushing(), ...[1, 2, 3].map(overlapping)]);
      drained.respond = () => 200;
      await until(async () => (await drain()).kind === 'drained');
      const sent = drained.sent.slice(before);
      const firsts = sent.filter(({ id }, index) => sent.findIndex((other) => other.id === id) === index);
      expect(firsts.flatMap((request) => request.sequences)).toEqual(Array.from({ length: 20 }, (_, index) => round * 20 + index + 1));
      for (const { id, body } of sent) expect(body).toBe(firsts.find((first) => first.id === id)!.body);
      expect(await endpoint()).toMatchObject({ acked_sequence: (round + 1) * 20, status: 'active' });
    }
  },
  60_000 + rounds * 10_000,
);
