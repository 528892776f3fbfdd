import type { Context, Middleware } from 'koa';
import { z } from 'zod';
import { AppError, type ErrorCode } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { field } from '../api/schema-fields.ts';
import { respondToErrors } from '../server/errors.ts';

/** RFC 6749, section 5.2. The last two are for what it has no code for; RFC 6749 uses them at the authorization endpoint. */
const codes = ['invalid_request', 'invalid_client', 'unsupported_grant_type', 'temporarily_unavailable', 'server_error'] as const;

export const tokenErrorSchema = z
  .strictObject({
    error: field(z.enum(codes), 'The error code.', 'invalid_client'),
    error_description: field(z.string(), 'A human-readable message; its wording may change.', 'Unknown OAuth client or invalid secret.'),
  })
  .meta({ id: 'TokenError', description: 'Why no access token was issued (RFC 6749, section 5.2).' });

/** Another grant than `client_credentials`. */
export class UnsupportedGrantError extends AppError {}

const codeOf: Partial<Record<ErrorCode, (typeof codes)[number]>> = {
  unauthorized: 'invalid_client',
  rate_limited: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
};

/** `error_description` may contain only ASCII without quotation marks and backslashes. */
const toDescription = (text: string) => text.replaceAll('"', "'").replaceAll(/[^\x20-\x7e]|\\/g, '?');

function writeTokenError(ctx: Context, error: AppError): void {
  ctx.set('Pragma', 'no-cache');
  ctx.body = {
    error: error instanceof UnsupportedGrantError ? 'unsupported_grant_type' : (codeOf[error.code] ?? 'invalid_request'),
    error_description: toDescription(error.message),
  } satisfies z.output<typeof tokenErrorSchema>;
}

export const tokenErrors = (log: Logger): Middleware => respondToErrors(log, writeTokenError);
