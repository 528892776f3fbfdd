import { expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { translateFailures } from '../../activities/translate-failures.ts';
import { AppError } from '../../src/errors.ts';
import { createLogger } from '../../src/logger.ts';

const log = createLogger('silent');
const fail = (thrown: unknown): Promise<never> => {
  throw thrown;
};
async function failureOf(thrown: unknown): Promise<ApplicationFailure> {
  const [settled] = await Promise.allSettled([translateFailures(log, fail)(thrown)]);
  return (settled as PromiseRejectedResult).reason as ApplicationFailure;
}

it('passes to Temporal only the kind of an unexpected error, and lets it retry', async () => {
  const failure = await failureOf(new TypeError('ada@example.com is not iterable'));
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({ type: 'TypeError', nonRetryable: false });
  expect(`${failure.message} ${JSON.stringify(failure)}`).not.toContain('ada@example.com');
});

it('keeps the code of an expected error', async () => {
  const failure = await failureOf(new AppError('unavailable', 'Postgres is away'));
  expect(failure).toMatchObject({ type: 'unavailable', nonRetryable: false });
});

it('keeps a failure that the activity made for Temporal', async () => {
  const own = ApplicationFailure.create({ message: 'own', type: 'worker_stops', nextRetryDelay: 100 });
  expect(await failureOf(own)).toBe(own);
});
