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
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import { waitAtMost } from '../../shared/timeout.ts';
import { newId } from '../../ids.ts';
import { mayContainPassword, mentionsPassword, removePasswords } from './remove-passwords.ts';

export interface RequestRecorderDeps {
  store: Pick<RecordedRequestStore, 'add' | 'count'>;
  log: Logger;
  everyMs?: number;
  maxBytes?: number;
}

export interface RequestRecorder {
  /** Queues the request to be written later. */
  record(request: SentRequest): void;
  /** Writes the queued requests, for at most two seconds. */
  stop(): Promise<void>;
}

const stopTimeoutMs = 2_000;
const convertedPerPause = 10;

/**
 * Writes requests in the background, one statement every two seconds: a slow database occupies one connection and a limited amount of memory.
 * Requests that cannot be written are lost, and a crash loses those that wait. Counts that cannot be written are tried again with the next write.
 */
export function createRequestRecorder({ store, log, everyMs = 2_000, maxBytes = 16_777_216 }: RequestRecorderDeps): RequestRecorder {
  const newest = createNewestRequests(maxBytes);
  const counter = createPushCounter();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isStopped = false;
  let isFailing = false;

  return {
    record(request) {
      newest.add(request);
      counter.add(request);
      plan();
    },

    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await waitAtMost(stopTimeoutMs, writeRest());
    },
  };

  function plan() {
    if (isStopped || writing || (newest.isEmpty() && counter.isEmpty())) return;
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
    for (const step of [writeCounts, writeRequests]) await step().catch((error: unknown) => void failures.push(error));
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

  async function writeRequests(): Promise<void> {
    const recorded = await convertAll(newest.takeAll());
    if (recorded.length > 0) await store.add(recorded);
  }
}

/** Yields to the event loop in between. */
async function convertAll(requests: SentRequest[]): Promise<RecordedRequest[]> {
  const recorded: RecordedRequest[] = [];
  for (const request of requests) {
    recorded.push(toRecordedRequest(request));
    if (recorded.length % convertedPerPause === 0) await yieldToEventLoop();
  }
  return recorded;
}

const maxPathBytes = 4_096;
const maxDetailBytes = 2_000;
const maxHeaderLength = 200;
const removed = '[removed]';

/** Converts a request to what is stored: without passwords, limited in length, and without characters that Postgres rejects. */
function toRecordedRequest(sent: SentRequest): RecordedRequest {
  const { directoryId, atMs, durationMs, method, status, error, requestId } = sent;
  const { state, text, bytes } = readBody(sent);
  return {
    directoryId,
    id: newId(atMs),
    at: new Date(atMs),
    method,
    path: cutText(withoutPasswords(belowDirectory(sent.url)), maxPathBytes),
    status,
    scimType: error?.scimType,
    detail: error && cutText(mayContainPassword(error.detail) ? removed : storable(error.detail), maxDetailBytes),
    durationMs: Math.round(durationMs),
    requestId,
    userAgent: sent.userAgent.slice(0, maxHeaderLength),
    contentType: sent.contentType.slice(0, maxHeaderLength),
    body: text,
    bodyState: state,
    bodyBytes: bytes,
  };
}

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

/** An error may quote a name that was rejected because Postgres cannot store it. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();
