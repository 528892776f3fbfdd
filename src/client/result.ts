import type { ApiError } from './generated/types.ts';

/** What every call resolves to. Check `error` to distinguish the two. A call never rejects. */
export type Result<Data, More = unknown> = (Success<Data> & More) | Failure;

export interface Success<Data> {
  data: Data;
  error: null;
  /** The status of the HTTP response. */
  status: number;
}

export interface Failure {
  data: null;
  error: ClientError;
  /** The status of the HTTP response; 0 if there was none. */
  status: number;
}

export interface ClientError {
  /**
   * Stable: a code of the service such as `invalid_request` or `not_found`, or one of the client's own.
   * `unreachable`: there was no response. `invalid_response`: the response is not Rollcall's, for example a proxy's. `aborted`: your signal
   * ended the call.
   */
  code: ApiError['code'] | 'unreachable' | 'invalid_response' | 'aborted' | (string & {});
  /** A human-readable message; its wording may change. */
  message: string;
  /** The invalid field or argument, if there is one. */
  field?: string;
  /** How long to wait before the next attempt, if the response says so. */
  retryAfterSeconds?: number;
  /** The ID of the request in the log of the service. */
  requestId?: string;
  /** The limit that a `rate_limited` request exceeded. */
  layer?: string;
  bucket?: string;
  /** How many events a request would send that has to be confirmed, by type; and what to repeat as `confirm`. */
  events?: Record<string, number>;
  confirm?: number;
  /** Where uploaded files are wrong, and how many more such places there are. */
  problems?: { file: string; line: number | null; column: number | null; message: string }[];
  more_problems?: number;
  /** Why the service is not ready, one sentence each (`health.ready`). */
  missing?: string[];
}

export interface CallOptions {
  /** Ends the call when it is aborted. */
  signal?: AbortSignal | undefined;
  /** How long to wait for the whole response; default: 30 seconds. The time of `wait` is added. */
  timeoutMs?: number | undefined;
}
