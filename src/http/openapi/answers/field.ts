import { z } from 'zod';

/** Says what a field is, with an example of it. */
export const field = <Schema extends z.ZodType>(schema: Schema, description: string, ...examples: unknown[]): Schema =>
  schema.meta({ description, ...(examples.length > 0 && { examples }) });

export const time = z.iso.datetime();
export const count = z.int().min(0);
export const sequence = z.int().min(0);

export const exampleId = '0b9f1c62-6f0e-4c8a-9c3b-1f2d8a7e5c41';
const exampleTime = '2027-11-21T08:43:54.120Z';

export const id = (what: string) => field(z.string(), what, exampleId);
export const timeOf = (what: string) => field(time, what, exampleTime);
export const timeOrNull = (what: string) => field(time.nullable(), what, exampleTime);
