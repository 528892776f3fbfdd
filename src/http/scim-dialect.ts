import type { Context, Middleware } from 'koa';
import type { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { ScimError, toErrorBody, type ScimRefusal } from '../scim/errors.ts';
import { endBodyTurn } from './body-turns.ts';
import { throwIfLeft } from './caller-left.ts';
import { writeJson } from './write-json.ts';
import { refuseUnanswered, statusOf, toProblem } from './problem.ts';

const mediaType = 'application/scim+json; charset=utf-8';

const scimAddresses =
  'Below the address of a directory there are /Users, /Groups, /Bulk, /.search, /ServiceProviderConfig, /ResourceTypes and /Schemas; a query belongs at the end.';

/** SCIM's dialect: its media type, and its error message whatever happens. */
export function scimDialect(log: Logger): Middleware {
  return async function answerInScim(ctx, next) {
    try {
      await next();
      refuseUnanswered(ctx, scimAddresses);
    } catch (thrown) {
      endBodyTurn(ctx);
      const refusal = thrown instanceof ScimError ? thrown.refusal : toRefusal(toProblem(ctx, thrown, log));
      ctx.state['refusal'] = refusal;
      await answerScim(ctx, toErrorBody(refusal), refusal.status);
    }
  };
}

const toRefusal = ({ code, message, scimType }: AppError): ScimRefusal => ({
  status: statusOf[code],
  ...(code === 'invalid_request' && { scimType: scimType ?? 'invalidSyntax' }),
  detail: message,
});

export async function answerScim(ctx: Context, body: unknown, status = 200): Promise<void> {
  const written = writeJson(body, () => throwIfLeft(ctx));
  const text = typeof written === 'string' ? written : await written;
  ctx.status = status;
  ctx.body = text;
  ctx.type = mediaType;
}
