import type { Context, Middleware } from 'koa';
import { AppError, type ErrorCode } from '../../errors.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';
import type { Logger } from '../../logger.ts';
import { hasDisconnected } from './caller-connection.ts';

/** The status of each error code, in every format. */
export const statusOf: Record<ErrorCode, number> = {
  invalid_request: 400,
  invalid_files: 422,
  unauthorized: 401,
  key_malformed: 401,
  key_expired: 401,
  key_revoked: 401,
  key_network: 403,
  key_narrowed: 403,
  insufficient_scope: 403,
  session_unknown: 401,
  session_ended: 401,
  session_expired: 401,
  foreign_origin: 403,
  login_link_invalid: 401,
  sign_in_state_missing: 400,
  sign_in_state_mismatch: 400,
  sign_in_other_browser: 400,
  sign_in_expired: 400,
  sign_in_denied: 403,
  sign_in_code_invalid: 400,
  sign_in_audience: 401,
  sign_in_clock: 401,
  sign_in_token_invalid: 401,
  sign_in_no_role: 403,
  issuer_unavailable: 503,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  confirmation_required: 409,
  cursor_expired: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

/** The `error` of the JSON API's envelope. */
const presentError = ({ code, message, field, limit, consequences, files }: AppError) => ({
  code,
  message,
  status: statusOf[code],
  ...(field && { field }),
  ...limit,
  ...consequences,
  ...(files && { problems: files.problems, more_problems: files.more }),
});

const retryAfterSeconds = '5';

/** Turns what was thrown into an error that callers may see. A bug is logged here, once, and gets a fixed text. */
export function toAppError(ctx: Context, error: unknown, log: Logger): AppError {
  if (error instanceof AppError) {
    if (error.code === 'rate_limited' && !ctx.response.get('Retry-After'))
      ctx.set('Retry-After', String(error.retryAfterSeconds ?? retryAfterSeconds));
    if ((error.code === 'unavailable' || error.code === 'issuer_unavailable') && !hasDisconnected(ctx)) {
      ctx.set('Retry-After', retryAfterSeconds);
      log.warn({ requestId: ctx.state['requestId'], cause: causeOf(error) }, error.message);
    }
    return error;
  }
  // A provider that tries again soon may reach another process, or one that has recovered.
  ctx.set('Retry-After', retryAfterSeconds);
  log.error({ requestId: ctx.state['requestId'], err: error }, 'a request failed unexpectedly');
  return new AppError('internal', 'Internal error. The log of the service has the cause.');
}

/** The innermost message: a wrapper's own says little. */
function causeOf(error: Error): string {
  return error.cause instanceof Error ? causeOf(error.cause) : toLoggableMessage(error);
}

const seeDocs = 'See /docs for the API.';

/** Fails with 404 if no operation has responded. */
export function assertResponded(ctx: Context, hint: string): void {
  if (ctx.body !== undefined && ctx.body !== null) return;
  if (ctx.status === 404) throw new AppError('not_found', `This path does not exist. ${hint}`);
}

/** Sets the status of every error, and has `write` respond to it. */
export function respondToErrors(log: Logger, write: (ctx: Context, error: AppError) => void, hint = seeDocs): Middleware {
  return async function respondToError(ctx, next) {
    try {
      await next();
      assertResponded(ctx, hint);
    } catch (thrown) {
      const error = toAppError(ctx, thrown, log);
      ctx.status = statusOf[error.code];
      write(ctx, error);
    }
  };
}

/** The JSON API's envelope: `{ "data": null, "error": … }`. */
export function writeEnvelope(ctx: Context, error: AppError): void {
  ctx.body = { data: null, error: presentError(error) };
}

/** `hint`: what is served, for the message of a 404. */
export const envelope = (log: Logger, hint?: string): Middleware => respondToErrors(log, writeEnvelope, hint);
