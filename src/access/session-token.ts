import { hash, randomBytes } from 'node:crypto';

/** 256 random bits. Only its SHA-256 is stored, and it is found by that hash, so no time depends on how much of it is right. */
export const createToken = (): string => randomBytes(32).toString('base64url');

/** Undefined if the text is not one that `createToken` returns. */
export const hashToken = (text: string): Buffer | undefined => (/^[\w-]{43}$/.test(text) ? hash('sha256', text, 'buffer') : undefined);
