import type { Page } from '../paging.ts';

export interface RecordedRequestStore {
  /** Keeps the newest 100 requests of each directory. Requests of a deleted directory are ignored. */
  add(requests: RecordedRequest[]): Promise<void>;
  /** Newest first. */
  list(directoryId: string, page: Page, signal?: AbortSignal): Promise<RecordedRequest[]>;
}

/** A request of an identity provider and its response, kept for debugging a connection. */
export interface RecordedRequest {
  directoryId: string;
  id: string;
  at: Date;
  method: string;
  /** After the directory's base URL, with the query. */
  path: string;
  status: number;
  scimType: string | undefined;
  detail: string | undefined;
  durationMs: number;
  requestId: string;
  userAgent: string;
  contentType: string;
  /** Truncated, and without passwords. */
  body: string | undefined;
  bodyState: BodyState;
  /** Length of the whole body, if it is known. */
  bodyBytes: number | undefined;
}

/** `unread`: the response did not need the body. `redacted`: it may contain a password that cannot be located. */
export type BodyState = 'none' | 'complete' | 'truncated' | 'unread' | 'redacted';

/** A request before the conversion to a `RecordedRequest`, which takes time. */
export interface SentRequest {
  directoryId: string;
  atMs: number;
  durationMs: number;
  method: string;
  url: string;
  status: number;
  error: { scimType?: string; detail: string } | undefined;
  requestId: string;
  userAgent: string;
  contentType: string;
  /** Undefined if it was not read. */
  body: SentBody | undefined;
  /** The `Content-Length` header. */
  contentLength: number | undefined;
  hasBody: boolean;
}

/** The first 16 KiB of a body. */
export interface SentBody {
  /** Undefined if it is not text. */
  text: string | undefined;
  /** Length of the whole body. */
  bytes: number;
  isJson: boolean;
}

export const maxBodyBytes = 16_384;
