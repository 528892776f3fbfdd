import { newId } from '../../ids.ts';
import { cutText } from './cut-text.ts';
import { maxBodyBytes, type BodyState, type RecordedRequest, type SentBody, type SentRequest } from './recorded-request.ts';
import { mayContainPassword, mentionsPassword, removePasswords } from './remove-passwords.ts';

const maxPathBytes = 4_096;
const maxDetailBytes = 2_000;
const maxHeaderLength = 200;
const removed = '[removed]';

/** Converts a request to what is stored: without passwords, limited in length, and without characters that Postgres rejects. */
export function toRecordedRequest(sent: SentRequest): RecordedRequest {
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
