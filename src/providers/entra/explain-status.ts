import { ProviderError } from '../../directory/sync/provider.ts';
import { readRetryAfter } from '../../shared/retry-after.ts';
import type { EntraResponse } from './send.ts';

/** Explains statuses that mean the same for all requests: rate limits, and failures of the service. */
export function explainStatus({ status, retryAfter }: Pick<EntraResponse, 'status' | 'retryAfter'>): ProviderError | undefined {
  if (status === 429 || status === 503)
    return new ProviderError('busy', `Microsoft limited the rate of requests (${status}).`, {
      retryAfterMs: Math.max(0, readRetryAfter(retryAfter, Date.now()) ?? 0),
    });
  if (status >= 500 || status === 408) return new ProviderError('unreachable', `Microsoft failed with ${status}.`);
  return undefined;
}
