import { z } from 'zod';
import { isCleanText } from '../../scim/text.ts';

/** Describes a field, with an example. */
export const field = <Schema extends z.ZodType>(schema: Schema, description: string, ...examples: unknown[]): Schema =>
  schema.meta({ description, ...(examples.length > 0 && { examples }) });

const time = z.iso.datetime();
export const count = z.int().min(0);
export const sequence = z.int().min(0);

export const exampleId = '0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41';
export const exampleDeliveryId = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
const exampleTime = '2027-11-21T08:43:54.120Z';

export const id = (description: string) => field(z.string(), description, exampleId);
export const timeOf = (description: string) => field(time, description, exampleTime);
export const timeOrNull = (description: string) => field(time.nullable(), description, exampleTime);

export const toTime = (at: Date | undefined): string | null => at?.toISOString() ?? null;

/** Text that Postgres and receivers of webhooks can hold. */
export const text = z.string('must be a string').refine(isCleanText, 'must not contain NUL characters or lone surrogates');
export const shortText = text.trim().min(1, 'must not be empty').max(200, 'may have at most 200 characters');

/** The value of a filter in a query. */
export const filterText = z
  .string('must be given once')
  .refine(isCleanText, 'must not contain NUL characters or lone surrogates')
  .min(1, 'must not be empty')
  .max(500, 'may have at most 500 characters')
  .optional();

/** A secret that the caller may choose. */
export const secretText = text.max(500, 'may have at most 500 characters');

export const queryCount = z.coerce.number('must be a whole number').int('must be a whole number').min(0, 'must not be negative');

const defaultOverlapSeconds = 86_400;

/** How long the previous secret stays valid beside a new one. */
export const overlapSeconds = (maxDays: number, inWords: string) =>
  z
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(maxDays * 86_400, `may be at most ${maxDays * 86_400}, which is ${inWords} days`)
    .default(defaultOverlapSeconds);
