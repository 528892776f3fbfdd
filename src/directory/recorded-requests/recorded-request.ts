import type { CountedPushes } from '../activity/activity.ts';
import type { ContinuedPage, PageRequest } from '../page.ts';
import type { Concern } from './concerned-users.ts';
import type { RejectedSecret } from './rejected-secrets.ts';

export interface RecordedRequestStore {
  /** Keeps the newest 100 requests of each directory. Requests of a deleted directory are ignored. */
  add(requests: RecordedRequest[]): Promise<void>;
  /** Adds to the counts of each hour. Those of deleted directories are ignored. */
  count(counted: CountedPushes[]): Promise<void>;
  /** Stores the newest time of each directory. Deleted directories, and those that never existed, are ignored. */
  rejectSecrets(rejected: RejectedSecret[]): Promise<void>;
  /** Deletes requests that are older, and then the last errors that are; returns how many of the kind that had more. */
  dropExpired(keptMs: number, limit: number): Promise<number>;
  /** Returns the newest request first. */
  list(directoryId: string, page: PageRequest<string>, filter?: RequestFilter): Promise<ContinuedPage<RecordedRequest, string>>;
  get(directoryId: string, id: string): Promise<RecordedRequest | undefined>;
}

export const requestOutcomes = ['failed', 'succeeded'] as const;

export interface RequestFilter {
  /** Whether the response was an error. */
  outcome?: (typeof requestOutcomes)[number] | undefined;
  /** Leaves out requests that only read. */
  isWrite?: boolean | undefined;
}

/** A request of an identity provider and its response, kept for debugging a connection. */
export interface RecordedRequest {
  directoryId: string;
  id: string;
  at: Date;
  method: string;
  /** The path follows the directory's base URL, and includes the query. */
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

/**
 * `unread`: the response did not need the body. `redacted`: it may contain a password that cannot be located. `expired`:
 * it is not kept any more, nor what the headers said.
 */
export const bodyStates = ['none', 'complete', 'truncated', 'unread', 'redacted', 'expired'] as const;
export type BodyState = (typeof bodyStates)[number];

/** A request before the conversion to a `RecordedRequest`, which takes time. */
export interface SentRequest {
  id: string;
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
  concerns: Concern[];
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

export const keptPerDirectory = 100;

interface OfDirectory {
  requests: SentRequest[];
  bytes: number;
}

/** Of the memory: one directory must not drive out the others. */
const shareOfDirectory = 1 / 4;

/** The newest requests of each directory. When memory is full, the oldest request of all directories is dropped. */
export function createNewestRequests(maxBytes: number, limit = keptPerDirectory) {
  let all = new Set<SentRequest>();
  let byDirectory = new Map<string, OfDirectory>();
  let bytes = 0;

  return {
    add(request: SentRequest): void {
      const own = byDirectory.get(request.directoryId) ?? { requests: [], bytes: 0 };
      byDirectory.set(request.directoryId, own);
      own.requests.push(request);
      all.add(request);
      const size = sizeOf(request);
      bytes += size;
      own.bytes += size;
      while (own.requests.length > limit || (own.requests.length > 1 && own.bytes > maxBytes * shareOfDirectory)) dropOldestOf(own);
      while (bytes > maxBytes) {
        const [oldest] = all;
        dropOldestOf(byDirectory.get(oldest!.directoryId)!);
      }
    },

    isEmpty: () => all.size === 0,

    takeAll(): SentRequest[] {
      const taken = [...all];
      all = new Set();
      byDirectory = new Map();
      bytes = 0;
      return taken;
    },
  };

  function dropOldestOf(own: OfDirectory) {
    const oldest = own.requests.shift()!;
    if (own.requests.length === 0) byDirectory.delete(oldest.directoryId);
    all.delete(oldest);
    const size = sizeOf(oldest);
    bytes -= size;
    own.bytes -= size;
  }
}

/** Upper limit of the memory: JavaScript needs up to two bytes per character. */
const sizeOf = ({ url, userAgent, contentType, error, body, concerns }: SentRequest) =>
  1_000 +
  2 * (url.length + userAgent.length + contentType.length + (error?.detail.length ?? 0) + (body?.text?.length ?? 0)) +
  concerns.reduce((sum, { ids, names, result }) => sum + sizeOfNames(ids) + sizeOfNames(names) + 2 * (result?.detail?.length ?? 0), 0);

const sizeOfNames = (names: string[]) => names.reduce((sum, name) => sum + 200 + 2 * name.length, 0);

/** Decodes the first bytes of UTF-8, without an incomplete character at the end. */
export const decodeStart = (utf8: Buffer, maxBytes: number): string =>
  new TextDecoder().decode(utf8.subarray(0, maxBytes), { stream: true });

export const cutText = (text: string, maxBytes: number): string =>
  text.length * 3 <= maxBytes ? text : decodeStart(Buffer.from(text.slice(0, maxBytes)), maxBytes);
