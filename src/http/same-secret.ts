import { hash, timingSafeEqual } from 'node:crypto';

/** Compares in a time that tells nothing of where, or how far, the two differ. */
export const isSameSecret = (given: string, expected: string) => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string) => hash('sha256', text, 'buffer');
