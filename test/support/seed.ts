import { createRandom, type Random } from './chaos/random.ts';

/** Set TEST_SEED to a printed seed to repeat a run with the same random numbers. */
export function chooseSeed(): number {
  const seed = Number(process.env['TEST_SEED'] ?? Math.floor(Math.random() * 1_000_000_000));
  if (!Number.isInteger(seed)) throw new Error('TEST_SEED must be an integer.');
  process.stdout.write(`TEST_SEED=${seed}\n`);
  return seed;
}

export function createSeededRandom(): Random & { below(count: number): number } {
  const random = createRandom(chooseSeed(), 0);
  return { ...random, below: (count) => Math.floor(random.between(0, count)) };
}
