import { z } from 'zod';
import { parseDuration } from '../shared/parse-duration.ts';

/** Schemas for the kinds of values that settings have. */

export const text = z.string().trim();
export const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
export const port = z.coerce
  .number('a port number from 0 to 65535')
  .int('a whole number')
  .min(0, 'a port number from 0 to 65535')
  .max(65535, 'a port number from 0 to 65535');
export const notNegative = z.coerce.number('a whole number').int('a whole number').min(0, 'a whole number');
export const positive = z.coerce.number('a whole number above 0').int('a whole number above 0').min(1, 'a whole number above 0');
export const flag = z.enum(['true', 'false'], 'true or false').transform((value) => value === 'true');
export const address = (protocols: RegExp, expected: string) => z.url({ protocol: protocols, error: expected });
/** In milliseconds. Empty is Infinity. */
export const duration = (expected: string) =>
  z.string().transform((value, context) => parseDuration(value) ?? (context.addIssue(expected), z.NEVER));
export const keptFor = duration('a duration like 30d, 720h or 1d12h; empty keeps them forever');
