/**
 * What travels between a workflow and its activities says for which activity of which run it is. Together with the seal, which is bound to
 * the ids of workflow and activity, this keeps a payload from being used anywhere else.
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

export function isFor(value: unknown, { runId, activityType }: Address): value is Address {
  if (typeof value !== 'object' || value === null) return false;
  const address = value as Partial<Address>;
  return address.runId === runId && address.activityType === activityType;
}
