import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { digestOf } from '../../access/root-keys.ts';

/** What follows the scheme of `Authorization`. Every scheme is accepted: applications and providers differ in it. */
export function readCredentials(ctx: Context): string | undefined {
  return /^\S+ +(\S+) *$/.exec(ctx.get('authorization'))?.[1];
}

/** Compares in a time that does not depend on where, or how far, the two differ. */
export const isSameSecret = (given: string, expected: string) => timingSafeEqual(digestOf(given), digestOf(expected));
