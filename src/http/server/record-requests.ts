import type { Context, Middleware } from 'koa';
import { type SentBody, type SentRequest, decodeStart, maxBodyBytes } from '../../directory/recorded-requests/recorded-request.ts';

/** Records authenticated requests with their responses, so it runs around the middleware that writes errors. */
export function recordRequests(record: (request: SentRequest) => void): Middleware<RecordedState> {
  return async function recordRequest(ctx, next) {
    const atMs = Date.now();
    const startedMs = performance.now();
    await next();
    const { directoryId, requestId, scimError, sentBody } = ctx.state;
    if (directoryId === undefined) return;
    record({
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
    });
  };
}

interface RecordedState {
  directoryId?: string;
  requestId: string;
  scimError?: SentRequest['error'];
  sentBody?: SentBody;
}

/** Keeps only the beginning of a large body, so that the rest can be freed. A body that is not UTF-8 has no text. */
export function keepSentBody(ctx: Context, bytes: Buffer, text: string | undefined): SentBody {
  const start = bytes.length > maxBodyBytes && text !== undefined ? decodeStart(bytes, maxBodyBytes) : text;
  const body: SentBody = { text: start, bytes: bytes.length, isJson: false };
  (ctx.state as RecordedState).sentBody = body;
  return body;
}
