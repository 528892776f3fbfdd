import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { AppError } from '../errors.ts';

/** Codes by which Temporal says that the request itself is wrong: INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const refusals = new Set([3, 7, 12, 16]);

/** A Temporal that does not answer passes; one that refuses what we ask is a bug of ours, or of the set-up. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return !(isGrpcServiceError(error.cause) && refusals.has(error.cause.code));
}

export function tellAbsence(error: unknown): unknown {
  return isPassing(error) ? new AppError('unavailable', 'The workflow service does not answer; try again.', { cause: error }) : error;
}
