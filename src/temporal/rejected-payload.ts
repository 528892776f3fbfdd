import type { Payload } from '@temporalio/common';

/** Stands for a payload that the codec did not open. Nothing of Rollcall's has an object with this field as a whole argument or result. */
const field = 'rollcallRejectedPayload';

export const rejectPayload = (reason: string): Payload => ({
  metadata: { encoding: new TextEncoder().encode('json/plain') },
  data: new TextEncoder().encode(JSON.stringify({ [field]: reason })),
});

/** The reason, if this is such a marker. */
export function findRejection(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && field in value ? String(value[field]) : undefined;
}
