import type { Context, Middleware } from 'koa';
import { type Concern, findInAddress, withMoved } from '../../directory/recorded-requests/concerned-users.ts';
import { type SentBody, type SentRequest, decodeStart, maxBodyBytes } from '../../directory/recorded-requests/recorded-request.ts';
import { newId } from '../../ids.ts';

/** Records authenticated requests with their responses, so it runs around the middleware that writes errors. */
export function recordRequests(record: (request: SentRequest) => void): Middleware<RecordedState> {
  return async function recordRequest(ctx, next) {
    const atMs = Date.now();
    const startedMs = performance.now();
    await next();
    const { directoryId, requestId, scimError, sentBody, concerns = [] } = ctx.state;
    if (directoryId === undefined) return;
    // The same create sent twice has the user of the first.
    const addresses = [ctx.originalUrl, ...(ctx.status === 201 ? [ctx.response.get('location')] : [])];
    record({
      id: newId(atMs),
      directoryId,
      atMs,
      durationMs: performance.now() - startedMs,
      method: ctx.method,
      url: ctx.originalUrl,
      status: ctx.status,
      error: scimError,
      requestId,
      userAgent: ctx.get('user-agent'),
      contentType: ctx.get('content-type'),
      body: sentBody,
      contentLength: ctx.request.length,
      hasBody: (ctx.request.length ?? 0) > 0 || ctx.get('transfer-encoding') !== '',
      concerns: [...addresses.map(findInAddress).filter((concern) => concern !== undefined), ...concerns],
    });
  };
}

interface RecordedState {
  directoryId?: string;
  requestId: string;
  scimError?: SentRequest['error'];
  sentBody?: SentBody;
  concerns?: Concern[];
}

/** Notes whom a request concerns. Its address is read in any case. */
export function noteConcerns(ctx: Context, concerns: (Concern | undefined)[]): void {
  (ctx.state as RecordedState).concerns = concerns.filter((concern) => concern !== undefined);
}

/** Notes users who joined or left the group that a request is about. */
export function noteMoved(ctx: Context, moved: readonly string[] = []): void {
  if (moved.length > 0) noteConcerns(ctx, [withMoved((ctx.state as RecordedState).concerns?.[0], moved)]);
}

/** Keeps only the beginning of a large body, so that the rest can be freed. A body that is not UTF-8 has no text. */
export function keepSentBody(ctx: Context, bytes: Buffer, text: string | undefined): SentBody {
  const start = bytes.length > maxBodyBytes && text !== undefined ? decodeStart(bytes, maxBodyBytes) : text;
  const body: SentBody = { text: start, bytes: bytes.length, isJson: false };
  (ctx.state as RecordedState).sentBody = body;
  return body;
}
