import type { Context, Middleware } from 'koa';
import type { AppError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { ScimError, toErrorBody, type ScimErrorDetails } from '../../scim/errors.ts';
import { releaseBody } from '../server/body/body-scheduler.ts';
import { throwIfLeft } from '../server/caller-left.ts';
import { writeJson } from './write-json.ts';
import { assertResponded, statusOf, toAppError } from '../server/errors.ts';

const mediaType = 'application/scim+json; charset=utf-8';

const scimPaths =
  'The paths below a directory are /Users, /Groups, /Bulk, /.search, /ServiceProviderConfig, /ResourceTypes and /Schemas. A query must be at the end.';

/** Writes every error as a SCIM error message. */
export function scimErrors(log: Logger): Middleware {
  return async function respondInScim(ctx, next) {
    try {
      await next();
      assertResponded(ctx, scimPaths);
    } catch (thrown) {
      releaseBody(ctx);
      const error = thrown instanceof ScimError ? thrown.details : toScimError(toAppError(ctx, thrown, log));
      ctx.state['scimError'] = error;
      ctx.status = error.status;
      await sendScim(ctx, toErrorBody(error));
    }
  };
}

const toScimError = ({ code, message, scimType }: AppError): ScimErrorDetails => ({
  status: statusOf[code],
  ...(code === 'invalid_request' && { scimType: scimType ?? 'invalidSyntax' }),
  detail: message,
});

/** Writes a SCIM body. The status is set before. */
export async function sendScim(ctx: Context, body: unknown): Promise<void> {
  const written = writeJson(body, () => throwIfLeft(ctx));
  ctx.body = typeof written === 'string' ? written : await written;
  ctx.type = mediaType;
}
