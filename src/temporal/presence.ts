import type { Client } from '@temporalio/client';
import { AppError } from '../errors.ts';

/** How long Temporal may take to say that it is there. */
const presenceTimeoutMs = 2_000;

/** Asked first where somebody waits: while it is away, the SDK tries for longer than anybody would. */
export async function mustBeThere(client: Client): Promise<void> {
  const isThere = await within(client.workflowService.getSystemInfo({}), presenceTimeoutMs).catch(() => false);
  if (!isThere) throw absent();
}

export const absent = () => new AppError('unavailable', 'The workflow service does not answer; try again.');

/** False if it took longer. */
export async function within(running: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, timeoutMs, false)));
  return Promise.race([running.then(() => true as const), late]).finally(() => clearTimeout(timer));
}
