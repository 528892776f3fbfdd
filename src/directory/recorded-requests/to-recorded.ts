import { newId } from '../../ids.ts';
import { cutText } from './cut-text.ts';
import { maxBodyBytes, type BodyState, type RecordedRequest, type SentBody, type SentRequest } from './recorded-request.ts';
import { removePasswords } from './remove-passwords.ts';
import { mentionsPassword, mayContainPassword } from './says-password.ts';

const maxPathBytes = 4_096;
const maxDetailBytes = 2_000;
const maxHeaderLength = 200;
const removed = '[removed]';

/** What is kept of a request: no password, nothing too long, nothing that Postgres could not hold. */
export function toRecordedRequest(sent: SentRequest): RecordedRequest {
  const { directoryId, atMs, durationMs, method, status, refusal, requestId } = sent;
  const { state, text, bytes } = readBody(sent);
  return {
    directoryId,
    id: newId(atMs),
    at: new Date(atMs),
    method,
    path: cutText(withoutPasswords(belowDirectory(sent.url)), maxPathBytes),
    status,
    scimType: refusal?.scimType,
    detail: refusal && cutText(mayContainPassword(refusal.detail) ? removed : storable(refusal.detail), maxDetailBytes),
    durationMs: Math.round(durationMs),
    requestId,
    userAgent: sent.userAgent.slice(0, maxHeaderLength),
    contentType: sent.contentType.slice(0, maxHeaderLength),
    body: text,
    bodyState: state,
    bodyBytes: bytes,
  };
}

/** Empty segments are not ours to tidy here: they are what was sent. */
const belowDirectory = (url: string) => url.replace(/^.*?\/+api\/+scim\/+v2\.0\/+[^/?]+/, '') || '/';

const withoutPasswords = (path: string) =>
  path.replaceAll(/[^?&]+/g, (part) => (mayContainPassword(decodePercents(part)) ? removed : part));

/** For a look only, so what is not UTF-8 or half an escape does no harm. */
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
  if (safe === undefined) return { state: 'withheld', text: undefined, bytes };
  const text = cutText(safe, maxBodyBytes);
  return { state: bytes > maxBodyBytes || text.length < safe.length ? 'cut' : 'whole', text, bytes };
}

/** In text that is no JSON nobody can say where a password begins and ends; NULs may part its letters, as in UTF-16. */
function withoutPasswordsIn({ text, bytes, isJson }: SentBody): string | undefined {
  if (text === undefined) return undefined;
  if (isJson) return bytes <= maxBodyBytes && !mentionsPassword(text) ? text : removePasswords(text);
  return text.includes('\0') || mentionsPassword(text) ? undefined : text;
}

/** A name that was refused for what Postgres cannot hold may stand in the refusal. */
const storable = (text: string) => text.replaceAll('\0', '\uFFFD').toWellFormed();
