import { ApplicationFailure } from '@temporalio/common';
import { AppError } from '../src/errors.ts';
import type { Logger } from '../src/logger.ts';

/**
 * What Temporal may keep of a failure: its kind, and nothing that a person's data could hide in. The log has the rest.
 * All of them are tried again: an activity here fails only for want of a server, or by a bug that a new version mends.
 */
export function toFailure(error: unknown, log: Logger): ApplicationFailure {
  if (error instanceof AppError) return ApplicationFailure.retryable(error.message, error.code);
  log.error({ err: error }, 'an activity failed unexpectedly');
  return ApplicationFailure.retryable('An unexpected failure; the worker wrote it to its log. It is tried again.', (error as Error).name);
}
