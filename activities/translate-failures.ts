import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/errors.ts';
import type { Logger } from '../src/logger.ts';

/** Translates what an activity throws into a failure that Temporal may store. */
export const translateFailures =
  <Args extends unknown[], Result>(log: Logger, activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    try {
      return await activity(...args);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

/**
 * What Temporal may store of a failure: its kind, and nothing that could contain personal data. The log has the details. Every failure is
 * retried: an activity fails only if a server is unavailable, or by a bug that a new version fixes.
 */
function toFailure(error: unknown, log: Logger): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof AppError) return ApplicationFailure.retryable(error.message, error.code);
  log.error({ err: error }, 'an activity failed unexpectedly');
  return ApplicationFailure.retryable('An unexpected failure, which the worker has logged. It is retried.', (error as Error).name);
}
