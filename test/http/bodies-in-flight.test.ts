import { expect, it } from '@jest/globals';
import { createBodiesInFlight } from '../../src/http/server/body/body-limits.ts';

const kib = 1_024;
const overloaded = { code: 'unavailable', message: expect.stringContaining('MAX_BODIES_BYTES') };

it('counts bytes as they are received, and lets one body alone exceed the limit', () => {
  const bodies = createBodiesInFlight({ maxBytes: 200 * kib });
  const first = bodies.open('a');
  expect(first.add(100 * kib)).toBeUndefined();
  expect(first.add(200 * kib)).toBeUndefined();
  expect(bodies.open('b').add(40 * kib)).toMatchObject(overloaded);
  first.release();
  expect(bodies.open('b').add(40 * kib)).toBeUndefined();
});

it('counts the values of a body where they take more memory than its bytes', () => {
  const bodies = createBodiesInFlight({ maxBytes: 8_000 * kib });
  const [first, second] = [bodies.open('a'), bodies.open('a')];
  for (const body of [first, second]) expect(body.add(60 * kib)).toBeUndefined();
  expect(first.addValues(40_000)).toBeUndefined();
  expect(second.addValues(40_000)).toMatchObject(overloaded);
  expect(bodies.open('b').addValues(40_000)).toBeUndefined();
  first.release();
  expect(second.addValues(40_000)).toBeUndefined();
});

it('leaves a quarter of the memory to a third owner while two others use all they can', () => {
  const bodies = createBodiesInFlight({ maxBytes: 3_200 * kib });
  const take = (owner: string) => {
    let reserved = 0;
    while (!bodies.open(owner).add(100 * kib)) reserved += 1;
    return reserved;
  };
  expect(['a', 'b', 'c'].map(take)).toEqual([16, 8, 4]);
});

it('names the JSON API where its bodies together use half', () => {
  const bodies = createBodiesInFlight({ maxBytes: 200 * kib });
  expect(bodies.open('').add(60 * kib)).toBeUndefined();
  expect(bodies.open('').add(60 * kib)).toMatchObject({ message: expect.stringMatching(/^Request bodies of the JSON API .*102400 bytes/) });
});

it('always accepts small bodies', () => {
  const bodies = createBodiesInFlight({ maxBytes: 64 * kib });
  expect(bodies.open('a').add(64 * kib)).toBeUndefined();
  const small = bodies.open('a');
  expect([small.add(2 * kib), small.addValues(60)]).toEqual([undefined, undefined]);
  expect(small.addValues(600)).toMatchObject(overloaded);
});
