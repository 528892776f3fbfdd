import type { Payload } from '@temporalio/common';

/**
 * Each payload between a workflow and its activities names the activity and the run. The seal is bound to the IDs of workflow and
 * activity. Together they prevent a payload from being used anywhere else.
 */
interface Address {
  runId: string;
  activityType: string;
}

export interface ActivityInput extends Address {
  args: unknown[];
}

export interface ActivityResult extends Address {
  result?: unknown;
}

export function isEnvelopeFor(value: unknown, { runId, activityType }: Address): value is Address {
  if (typeof value !== 'object' || value === null) return false;
  const address = value as Partial<Address>;
  return address.runId === runId && address.activityType === activityType;
}

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
