/** Everything a caller of the JSON API can be told. A code is stable; its message may be reworded. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'cursor_expired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

interface AppErrorOptions {
  field?: string;
  limit?: { layer: string; bucket: string };
  retryAfterSeconds?: number;
  scimType?: 'invalidValue' | 'tooMany';
  cause?: unknown;
}

/** An expected failure, meant to be shown. Everything else that is thrown is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** The request field at fault, if there is one. */
  readonly field: string | undefined;
  /** Which limit it was, of a request that is over one. */
  readonly limit: { layer: string; bucket: string } | undefined;
  /** When it may succeed, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** What the SCIM dialect calls it, where the code alone does not say. */
  readonly scimType: 'invalidValue' | 'tooMany' | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.limit = options.limit;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.scimType = options.scimType;
  }
}

/** The process can't start, and its message is a sentence that tells the person at the terminal what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
