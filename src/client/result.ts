import type { Problem } from './generated/types.ts';

/** What every call resolves to; `if (error)` tells the two apart. A call never rejects. */
export type Result<Data, More = unknown> = (Answered<Data> & More) | Refused;

export interface Answered<Data> {
  data: Data;
  error: null;
  /** The status of the HTTP answer. */
  status: number;
}

export interface Refused {
  data: null;
  error: ClientError;
  /** The status of the HTTP answer; 0 if there was none. */
  status: number;
}

export interface ClientError {
  /**
   * Stable, for programs: a code of the service such as `invalid_request` or `not_found`, or one of the client's own.
   * `unreachable`: no answer came. `unreadable_answer`: somebody else answered, a proxy for instance. `aborted`: your signal ended the call.
   */
  code: Problem['code'] | 'unreachable' | 'unreadable_answer' | 'aborted' | (string & {});
  /** A sentence for people; it may be reworded. */
  message: string;
  /** The field or argument at fault, if there is one. */
  field?: string;
  /** When to come again, if the answer says so. */
  retryAfterSeconds?: number;
  /** The id under which the log of the service tells more. */
  requestId?: string;
  /** Which limit a `rate_limited` request was over. */
  layer?: string;
  bucket?: string;
  /** What keeps the service from being ready, one sentence each (`health.ready`). */
  missing?: string[];
}

export interface CallOptions {
  /** Ends the call when it is aborted. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the whole answer: 30 seconds if nothing is said. What `wait` asks for comes on top. */
  timeoutMs?: number | undefined;
}
