import { z } from 'zod';

const defaultOverlapSeconds = 86_400;

/** How long the previous secret stays valid beside a new one. */
export const overlapSeconds = (maxDays: number, inWords: string) =>
  z
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(maxDays * 86_400, `may be at most ${maxDays * 86_400}, which is ${inWords} days`)
    .default(defaultOverlapSeconds);
