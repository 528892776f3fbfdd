import type { Payload } from '@temporalio/common';

/** Marks a payload that the codec did not open. No argument or result of Rollcall's own is an object with this field. */
const field = 'rollcallRejectedPayload';

export const rejectPayload = (reason: string): Payload => ({
  metadata: { encoding: new TextEncoder().encode('json/plain') },
  data: new TextEncoder().encode(JSON.stringify({ [field]: reason })),
});

/** Returns the reason if the value is such a marker. */
export function findRejection(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && field in value ? String(value[field]) : undefined;
}
