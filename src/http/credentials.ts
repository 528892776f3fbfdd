import type { Context } from 'koa';

/** What follows the scheme of `Authorization`. Any scheme word will do: applications and providers differ in it. */
export function readCredentials(ctx: Context): string | undefined {
  return /^\S+ +(\S+) *$/.exec(ctx.get('authorization'))?.[1];
}
