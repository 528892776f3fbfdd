import { describeLimit, type Quota, type Quotas } from '../quotas.ts';

/** Names the first quota that a directory would exceed. No push would be accepted afterwards. */
export function findExceeded(limits: Quotas, used: Partial<Record<Quota, number>>): string | undefined {
  const exceeded = (Object.keys(used) as Quota[]).find((quota) => used[quota]! > limits[quota]);
  return (
    exceeded && `It has ${used[exceeded]}, and a directory may have ${describeLimit({ limits, own: {} }, exceeded)}: raise the limit first.`
  );
}
