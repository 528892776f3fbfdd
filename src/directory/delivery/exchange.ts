/** One POST to a webhook address, and what became of it. */

export interface SigningSecret {
  id: string;
  secret: string;
}

export interface SendRequest {
  /** The `webhook-id`. */
  id: string;
  url: string;
  body: string;
  /** Newest first; each makes a signature. */
  secrets: SigningSecret[];
  /** Sign in the ancestor's way, too. */
  legacySignatures: boolean;
  /** Besides those of every webhook: that this is a replay, or a test. */
  headers?: Record<string, string>;
}

export type SendOutcome = 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted';

export interface SendResult {
  outcome: SendOutcome;
  statusCode?: number;
  /** A sentence for the person who asks why nothing arrives. */
  error?: string;
  /** What the receiver asked for by `Retry-After`, whatever that was. */
  retryAfterMs?: number;
  exchange: Exchange;
}

/** What was said, for the audit: without what must not be kept. */
export interface Exchange {
  /** The address that was really reached. */
  address?: string;
  requestHeaders: Record<string, string>;
  responseHeaders?: Record<string, string>;
  /** The first 16 KiB. */
  responseBody?: string;
  responseTruncated?: boolean;
  /** Whole milliseconds; a connection that was open already was neither looked up nor made. */
  timings: { dnsMs?: number; connectMs?: number; firstByteMs?: number; totalMs: number };
}

/** Whatever happens is a result, never an exception. The signal and the time are for the whole exchange, to the last byte of the answer. */
export type SendWebhook = (request: SendRequest, options: { signal: AbortSignal; timeoutMs: number }) => Promise<SendResult>;
