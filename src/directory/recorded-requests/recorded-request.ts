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
  /** Below the directory's address, with its query. */
  path: string;
  status: number;
  scimType: string | undefined;
  detail: string | undefined;
  durationMs: number;
  requestId: string;
  userAgent: string;
  contentType: string;
  /** As it came, but for passwords and for what is too long. */
  body: string | undefined;
  bodyState: BodyState;
  /** How long it was, where that is known. */
  bodyBytes: number | undefined;
}

/** `unread`: it was answered without its body; `withheld`: it could not be told where a password stands in it. */
export type BodyState = 'none' | 'whole' | 'cut' | 'unread' | 'withheld';

/** The same, before anything was done that costs time. */
export interface SentRequest {
  directoryId: string;
  atMs: number;
  durationMs: number;
  method: string;
  url: string;
  status: number;
  refusal: { scimType?: string; detail: string } | undefined;
  requestId: string;
  userAgent: string;
  contentType: string;
  /** `undefined` if nobody read it. */
  body: SentBody | undefined;
  /** What was announced, if anything was. */
  contentLength: number | undefined;
  hasBody: boolean;
}

/** At most the first 16 KiB of a body, and what became of the whole. */
export interface SentBody {
  /** `undefined` if it is no text. */
  text: string | undefined;
  bytes: number;
  isJson: boolean;
}

export const maxBodyBytes = 16_384;
