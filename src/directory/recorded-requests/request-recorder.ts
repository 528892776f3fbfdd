import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Logger } from '../../logger.ts';
import type { RecordedRequestStore } from '../ports.ts';
import {
  type BodyState,
  type RecordedRequest,
  type SentBody,
  type SentRequest,
  createNewestRequests,
  cutText,
  maxBodyBytes,
} from './recorded-request.ts';
import { createPushCounter } from '../activity/activity.ts';
import { createRejectedSecrets } from './rejected-secrets.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import { waitAtMost } from '../../shared/timeout.ts';
import type { Concern } from './concerned-users.ts';
import { toUserRequests, type UserRequest, type UserRequestStore } from './user-requests.ts';
import { mayContainPassword, mentionsPassword, removePasswords } from './remove-passwords.ts';

export interface RequestRecorderDeps {
  store: Pick<RecordedRequestStore, 'add' | 'count' | 'rejectSecrets'> & Pick<UserRequestStore, 'addForUsers'>;
  log: Logger;
  everyMs?: number;
  maxBytes?: number;
}

export interface RequestRecorder {
  /** Queues the request to be written later. */
  record(request: SentRequest): void;
  /** Queues that a request to this directory, which may not exist, had a wrong secret. */
  recordRejectedSecret(directoryId: string): void;
  /** Writes the queued requests, for at most two seconds. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 2_000;
const convertedPerPause = 10;
/** Of requests without their bodies that concerned users. One takes at least 1,000 bytes. */
const maxUserBytes = 8_388_608;
const rowsPerStatement = 5_000;
/** Of users that a directory's requests concerned, in one write: so one directory does not keep Postgres busy. The newest are noted. */
const maxRowsPerDirectory = 2_500;

/**
 * Writes requests in the background, one statement every two seconds: a slow database occupies one connection and a
 * limited amount of memory. Requests that cannot be written are lost, and a crash loses those that wait. Counts and
 * rejected secrets that cannot be written are tried again.
 */
export function createRequestRecorder({ store, log, everyMs = 2_000, maxBytes = 16_777_216 }: RequestRecorderDeps): RequestRecorder {
  const newest = createNewestRequests(maxBytes);
  const ofUsers = createNewestRequests(maxUserBytes, Infinity);
  const counter = createPushCounter();
  const rejected = createRejectedSecrets();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isStopped = false;
  let isFailing = false;

  return {
    record(request) {
      newest.add(request.concerns.length === 0 ? request : { ...request, concerns: [] });
      if (request.concerns.length > 0) ofUsers.add({ ...request, body: undefined });
      counter.add(request);
      plan();
    },

    recordRejectedSecret(directoryId) {
      rejected.add({ directoryId, atMs: Date.now() });
      plan();
    },

    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await waitAtMost(stopTimeoutMs, writeRest());
    },
  };

  function plan() {
    if (isStopped || writing || (newest.isEmpty() && counter.isEmpty() && rejected.isEmpty())) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = write().finally(() => {
        writing = undefined;
        plan();
      });
    }, everyMs).unref();
  }

  async function writeRest() {
    await writing;
    await write();
  }

  async function write(): Promise<void> {
    const failures: unknown[] = [];
    // One after the other, since they need one connection.
    for (const step of [writeCounts, writeRejectedSecrets, writeRequests, writeOfUsers])
      await step().catch((error: unknown) => void failures.push(error));
    if (failures.length > 0 && !isFailing) log.warn({ error: toLoggableMessage(failures[0]) }, 'could not store recorded requests');
    isFailing = failures.length > 0;
  }

  async function writeCounts(): Promise<void> {
    const counted = counter.takeAll();
    if (counted.length === 0) return;
    try {
      await store.count(counted);
    } catch (error) {
      counter.putBack(counted);
      throw error;
    }
  }

  async function writeRejectedSecrets(): Promise<void> {
    const taken = rejected.takeAll();
    if (taken.length === 0) return;
    try {
      await store.rejectSecrets(taken);
    } catch (error) {
      rejected.putBack(taken);
      throw error;
    }
  }

  async function writeRequests(): Promise<void> {
    const recorded = await convertAll(newest.takeAll(), toRecordedRequest);
    if (recorded.length > 0) await store.add(recorded);
  }

  async function writeOfUsers(): Promise<void> {
    const found = await convertAll(ofUsers.takeAll(), (request) =>
      toUserRequests(briefly(describe(request)), request.concerns.map(toStoredConcern)),
    );
    let part: UserRequest[] = [];
    let rows = 0;
    for (const one of withinRows(found.flat())) {
      part.push(one);
      rows += one.subjects.length;
      if (rows < rowsPerStatement) continue;
      await store.addForUsers(part);
      [part, rows] = [[], 0];
    }
    if (part.length > 0) await store.addForUsers(part);
  }
}

/** Leaves out the oldest of a directory that has too many. */
function withinRows(requests: UserRequest[]): UserRequest[] {
  const rows = new Map<string, number>();
  return requests.toReversed().filter(({ directoryId, subjects }) => {
    const own = (rows.get(directoryId) ?? 0) + subjects.length;
    rows.set(directoryId, own);
    return own <= maxRowsPerDirectory;
  });
}

/** Yields to the event loop in between. */
async function convertAll<Converted>(requests: SentRequest[], convert: (request: SentRequest) => Converted): Promise<Converted[]> {
  const converted: Converted[] = [];
  for (const request of requests) {
    converted.push(convert(request));
    if (converted.length % convertedPerPause === 0) await yieldToEventLoop();
  }
  return converted;
}

const maxPathBytes = 4_096;
const maxDetailBytes = 2_000;
const maxHeaderLength = 200;
const removed = '[removed]';

/** Converts a request to what is stored: without passwords, limited in length, and without characters that Postgres rejects. */
function toRecordedRequest(sent: SentRequest): RecordedRequest {
  const { state, text, bytes } = readBody(sent);
  return {
    ...describe(sent),
    scimType: sent.error?.scimType,
    userAgent: sent.userAgent.slice(0, maxHeaderLength),
    contentType: sent.contentType.slice(0, maxHeaderLength),
    body: text,
    bodyState: state,
    bodyBytes: bytes,
  };
}

const describe = ({ id, directoryId, atMs, durationMs, method, status, error, requestId, url }: SentRequest) => ({
  directoryId,
  id,
  at: new Date(atMs),
  method,
  path: cutText(withoutPasswords(belowDirectory(url)), maxPathBytes),
  status,
  detail: error && toStoredDetail(error.detail),
  durationMs: Math.round(durationMs),
  requestId,
});

const toStoredDetail = (detail: string) => cutText(mayContainPassword(detail) ? removed : storable(detail), maxDetailBytes);

/** The path after the directory's base URL. Empty segments are kept, because they were sent. */
const belowDirectory = (url: string) => url.replace(/^.*?\/+api\/+scim\/+v2\.0\/+[^/?]+/, '') || '/';

const withoutPasswords = (path: string) =>
  path.replaceAll(/[^?&]+/g, (part) => (mayContainPassword(decodePercents(part)) ? removed : part));

/** Only to search the text, so invalid escapes and UTF-8 do not matter. */
const decodePercents = (text: string) =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function readBody({ body, hasBody, contentLength }: SentRequest): {
  state: BodyState;
  text: string | undefined;
  bytes: number | undefined;
} {
  if (!body) return { state: hasBody ? 'unread' : 'none', text: undefined, bytes: contentLength };
  const { bytes } = body;
  if (bytes === 0) return { state: 'none', text: undefined, bytes };
  const safe = withoutPasswordsIn(body);
  if (safe === undefined) return { state: 'redacted', text: undefined, bytes };
  const text = cutText(safe, maxBodyBytes);
  return { state: bytes > maxBodyBytes || text.length < safe.length ? 'truncated' : 'complete', text, bytes };
}

/** Outside JSON, a password has no clear boundaries: the text is redacted. So is text with NULs, which may be UTF-16. */
function withoutPasswordsIn({ text, bytes, isJson }: SentBody): string | undefined {
  if (text === undefined) return undefined;
  if (isJson) return bytes <= maxBodyBytes && !mentionsPassword(text) ? text : removePasswords(text);
  return text.includes('\0') || mentionsPassword(text) ? undefined : text;
}

const toStoredConcern = (concern: Concern): Concern => {
  const { result } = concern;
  return result?.detail === undefined ? concern : { ...concern, result: briefly({ ...result, detail: toStoredDetail(result.detail) }) };
};

/** It is stored once for each user that a request concerned. */
const maxBriefBytes = 300;

const briefly = <Described extends { detail: string | undefined; path?: string }>(described: Described): Described => ({
  ...described,
  ...(described.path !== undefined && { path: cutText(described.path, maxBriefBytes) }),
  detail: described.detail && cutText(described.detail, maxBriefBytes),
});

/** An error may quote a name that was rejected because Postgres cannot store it. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();
