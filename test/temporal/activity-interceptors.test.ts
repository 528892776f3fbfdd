import { describe, expect, it } from '@jest/globals';
import type { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { createRetryInterceptors } from '../../src/temporal/activity-interceptors.ts';
import { retryUpTo } from '../../src/temporal/timeouts.ts';

async function failAt(attempt: number, error: unknown, retryPolicy: object = retryUpTo(5_000)) {
  const { inbound } = createRetryInterceptors({ info: { attempt, retryPolicy } } as unknown as Context);
  const failing = inbound!.execute!({ args: [], headers: {} }, () => Promise.reject(error));
  return failing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}
const message = 'Postgres is away.';
const failure = () => ApplicationFailure.create({ message, type: 'unavailable', details: [1], cause: new Error('x') });

describe('the retry of an activity', () => {
  it('does not back off after the death of a worker', () => {
    expect(retryUpTo(5_000)).toMatchObject({ initialInterval: 200, backoffCoefficient: 1 });
  });

  it.each([
    [1, 200],
    [2, 400],
    [5, 3_200],
    [6, 5_000],
    [2_000_000_000, 5_000],
  ])('backs off after each failure, up to the maximum delay: attempt %i, %i ms', async (attempt, delayMs) => {
    const thrown = await failAt(attempt, failure());
    expect(thrown).toMatchObject({
      message,
      type: 'unavailable',
      details: [1],
      nonRetryable: false,
      nextRetryDelay: delayMs,
    });
    expect((thrown as Error).cause).toEqual(new Error('x'));
  });

  it('waits as long as the failure specifies', async () => {
    const error = ApplicationFailure.create({ message: 'The provider is busy.', nextRetryDelay: 90_000 });
    expect(await failAt(3, error)).toBe(error);
  });

  it('is left to Temporal for other retry policies, and for other errors', async () => {
    const [failed, cancelled] = [failure(), new CancelledFailure('stopped')];
    expect(await failAt(3, failed, { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 3_000 })).toBe(failed);
    expect(await failAt(3, cancelled)).toBe(cancelled);
  });
});
