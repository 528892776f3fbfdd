import { hash, randomBytes } from 'node:crypto';

/** 256 random bits. Only the SHA-256 is stored and looked up, so the response time does not depend on how much of a guess is right. */
export const createSessionToken = (): string => randomBytes(32).toString('base64url');

/** Undefined if the text is not one that `createSessionToken` returns. */
export const hashSessionToken = (text: string): Buffer | undefined =>
  /^[\w-]{43}$/.test(text) ? hash('sha256', text, 'buffer') : undefined;
