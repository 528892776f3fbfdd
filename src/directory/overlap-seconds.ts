import { z } from 'zod';

/** For how long a secret that is rotated stays beside the new one. */
export const overlapSeconds = (mostDays: number, inWords: string) =>
  z
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(mostDays * 86_400, `may be at most ${mostDays * 86_400}, which is ${inWords} days`)
    .default(86_400);
