import type { Context } from 'koa';
import { AppError } from '../../../errors.ts';
import type { BodyLimit } from './body-limits.ts';
import { readBytes } from './read-json.ts';

const formType = 'application/x-www-form-urlencoded';

/** Reads a body that a form sends. */
export async function readForm(ctx: Context, limit: BodyLimit): Promise<URLSearchParams> {
  if (!ctx.is(formType)) throw new AppError('invalid_request', `The body must be ${formType}.`);
  if (!/^(identity)?$/i.test(ctx.get('content-encoding'))) throw new AppError('invalid_request', 'The body must not be compressed.');
  const { bytes } = await readBytes(ctx, limit);
  return new URLSearchParams(bytes.toString());
}
