import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import { AppError } from '../errors.ts';
import { waitAtMost } from '../shared/timeout.ts';

/** INVALID_ARGUMENT, PERMISSION_DENIED, UNIMPLEMENTED and UNAUTHENTICATED: the request itself is wrong, so trying it again does not help. */
const permanentCodes = new Set([3, 7, 12, 16]);

export function isOutage(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  return !(isGrpcServiceError(error.cause) && permanentCodes.has(error.cause.code));
}

export function toUnavailableError(error: unknown): unknown {
  return isOutage(error) ? unavailable(error) : error;
}

export const unavailable = (cause?: unknown) =>
  new AppError('unavailable', 'The workflow service does not respond; try again.', { ...(cause !== undefined && { cause }) });

const reachableTimeoutMs = 2_000;

/** Called before a request that a person waits for: while Temporal is down, the SDK retries for longer than that. */
export async function assertReachable(client: Client): Promise<void> {
  const isReachable = await waitAtMost(reachableTimeoutMs, client.workflowService.getSystemInfo({})).catch(() => false);
  if (!isReachable) throw unavailable();
}
