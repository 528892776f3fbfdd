import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../../logger.ts';

/**
 * Logs one line for each request, with the id of its response. It never logs the query or body, which may contain people's data. Many failed
 * authentications are summarized elsewhere.
 */
export function logRequests(log: Logger): Middleware {
  return async function logRequest(ctx, next) {
    const startedMs = performance.now();
    const given = ctx.get('x-request-id');
    const requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    await next();
    const level = ctx.path.startsWith('/health/') || ctx.state['isSummarized'] === true ? 'debug' : 'info';
    log[level](
      { requestId, method: ctx.method, path: ctx.path.slice(0, 300), status: ctx.status, ms: Math.round(performance.now() - startedMs) },
      'request',
    );
  };
}
