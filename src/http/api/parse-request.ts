import type { z } from 'zod';
import { AppError } from '../../errors.ts';

/** Checks a part of a request. The message names every field that is invalid; the error's `field` is the first. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => ({
    field: path.join('.'),
    message: valueAt(value, path) === undefined ? 'is required' : message,
  }));
  const [first] = problems;
  throw new AppError(
    'invalid_request',
    first?.field ? `${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}.` : 'The request must be a JSON object.',
    first?.field ? { field: first.field } : {},
  );
}

const valueAt = (value: unknown, path: PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
