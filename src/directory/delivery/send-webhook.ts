export interface SigningSecret {
  id: string;
  secret: string;
}

export interface SendRequest {
  /** The `webhook-id`. */
  id: string;
  url: string;
  body: string;
  /** Newest first. The request is signed with each of them. */
  secrets: SigningSecret[];
  /** Adds a signature as Polis sends it. */
  legacySignatures: boolean;
  /** Additional headers, for a replay or a test. */
  headers?: Record<string, string>;
}

export type SendOutcome = 'success' | 'http_error' | 'timeout' | 'dns' | 'tls' | 'connect' | 'blocked' | 'aborted';

export interface SendResult {
  outcome: SendOutcome;
  statusCode?: number;
  /** A sentence for an operator who asks why nothing arrives. */
  error?: string;
  /** The response's `Retry-After`, in any of its formats. */
  retryAfterMs?: number;
  details: AttemptDetails;
}

/** The request and response for the delivery log, without secrets. */
export interface AttemptDetails {
  /** The IP address of the receiver. */
  address?: string;
  requestHeaders: Record<string, string>;
  responseHeaders?: Record<string, string>;
  /** The first 16 KiB. */
  responseBody?: string;
  responseTruncated?: boolean;
  /** Whole milliseconds. A reused connection has no `dnsMs` and `connectMs`. */
  timings: { dnsMs?: number; connectMs?: number; firstByteMs?: number; totalMs: number };
}

/** Posts a webhook. Never throws: every failure is a result. The timeout includes the last byte of the response. */
export type SendWebhook = (request: SendRequest, options: { signal: AbortSignal; timeoutMs: number }) => Promise<SendResult>;
