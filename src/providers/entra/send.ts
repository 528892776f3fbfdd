import { request } from 'undici';
import { ProviderError } from '../../directory/sync/provider.ts';
import { readRetryAfter } from '../../shared/retry-after.ts';
import { withTimeout } from '../../shared/timeout.ts';

export interface EntraResponse {
  status: number;
  retryAfter: string | undefined;
  text: string;
}

interface EntraRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** A page of users has a few hundred KB. */
const maxResponseBytes = 16 * 1024 * 1024;

/**
 * Sends one request. Redirects are not followed: the token must not reach another address. Plain undici, because Microsoft's
 * library has retries of its own, and the sync must decide when to retry.
 */
export async function send({ method, url, headers, body, timeoutMs, signal }: EntraRequest): Promise<EntraResponse> {
  try {
    return await withTimeout(timeoutMs, signal, async (ending) => {
      const response = await request(url, { method, headers, body: body ?? null, signal: ending, headersTimeout: 0, bodyTimeout: 0 });
      const { statusCode: status } = response;
      const retryAfter = response.headers['retry-after'];
      return { status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, text: await readText(response.body) };
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    // The error itself may quote the request.
    const { name, code } = error as Error & { code?: unknown };
    if (name === 'AbortError') throw new ProviderError('unreachable', `Microsoft did not complete its response within ${timeoutMs} ms.`);
    throw new ProviderError('unreachable', `The connection to Microsoft failed before the response was complete${inParentheses(code)}.`);
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new ProviderError('invalid_response', "Microsoft's response is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Only error codes may be quoted: other text could contain personal data. */
const inParentheses = (code: unknown) => (typeof code === 'string' && /^[A-Z_]{1,50}$/.test(code) ? ` (${code})` : '');

/** Explains statuses that mean the same for all requests: rate limits, and failures of the service. */
export function explainStatus({ status, retryAfter }: Pick<EntraResponse, 'status' | 'retryAfter'>): ProviderError | undefined {
  if (status === 429 || status === 503)
    return new ProviderError('busy', `Microsoft limited the rate of requests (${status}).`, {
      retryAfterMs: Math.max(0, readRetryAfter(retryAfter, Date.now()) ?? 0),
    });
  if (status >= 500 || status === 408) return new ProviderError('unreachable', `Microsoft failed with ${status}.`);
  return undefined;
}
