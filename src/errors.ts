/** The error codes of the JSON API. A code is stable; its message may change. */
export type ErrorCode =
  | 'invalid_request'
  | 'invalid_files'
  | 'unauthorized'
  | 'key_malformed'
  | 'key_expired'
  | 'key_revoked'
  | 'key_network'
  | 'key_narrowed'
  | 'insufficient_scope'
  | 'session_unknown'
  | 'session_ended'
  | 'session_expired'
  | 'foreign_origin'
  | 'login_link_invalid'
  | 'sign_in_state_missing'
  | 'sign_in_state_mismatch'
  | 'sign_in_other_browser'
  | 'sign_in_expired'
  | 'sign_in_denied'
  | 'sign_in_code_invalid'
  | 'sign_in_audience'
  | 'sign_in_clock'
  | 'sign_in_token_invalid'
  | 'sign_in_no_role'
  | 'issuer_unavailable'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'confirmation_required'
  | 'cursor_expired'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'
  | 'internal';

interface AppErrorOptions {
  field?: string;
  limit?: { layer: string; bucket: string };
  consequences?: Consequences;
  files?: InvalidFiles;
  retryAfterSeconds?: number;
  scimType?: 'invalidValue' | 'tooMany';
  cause?: unknown;
}

/** Where uploaded files are wrong: the first places, and how many more there are. */
interface InvalidFiles {
  problems: { file: string; line: number | null; column: number | null; message: string }[];
  more: number;
}

/** What a request would cause, and what confirms it. */
export interface Consequences {
  /** The number of events of each type. */
  events: Record<string, number>;
  /** What the request must repeat. */
  confirm: number;
}

/** An expected failure whose message is shown to the caller. Any other error is a bug. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** The invalid field of the request. */
  readonly field: string | undefined;
  /** The limit that the request exceeds. */
  readonly limit: { layer: string; bucket: string } | undefined;
  readonly consequences: Consequences | undefined;
  readonly files: InvalidFiles | undefined;
  /** When a retry may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** The `scimType` in SCIM responses, if the code does not imply it. */
  readonly scimType: 'invalidValue' | 'tooMany' | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.limit = options.limit;
    this.consequences = options.consequences;
    this.files = options.files;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.scimType = options.scimType;
  }
}

/** Postgres canceled a statement at its time limit. Trying again may take as long. */
export class StatementTimeoutError extends AppError {}

/** The process cannot start. The message says what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
