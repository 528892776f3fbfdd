import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { pathParam } from '../operation.ts';
import { exampleDeliveryId, exampleId } from './field.ts';

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

const directoryId = pathParam("The directory's ID.", exampleId);

export const directoryParams = z.object({ directoryId });
export const deliveryParams = z.object({ directoryId, deliveryId: pathParam('The `webhook-id` of the delivery.', exampleDeliveryId) });
export const replayParams = z.object({ directoryId, replayId: pathParam("The replay's ID.", exampleId) });
export const runParams = z.object({ directoryId, runId: pathParam("The sync run's ID.", exampleId) });
