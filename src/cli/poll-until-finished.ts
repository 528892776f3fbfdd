import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../client/index.ts';
import type { Progress } from './output/progress.ts';
import { type ErrorContext, toCommandError } from './errors.ts';

interface Polling<Resource, More> {
  read: () => Promise<Result<Resource, More>>;
  isFinished: (resource: Resource) => boolean;
  show: (resource: Resource) => void;
  progress: Progress;
  errorContext: ErrorContext;
}

const [minPauseMs, maxPauseMs] = [150, 1_000];
/** As long as a restart of the service may take. */
const outageTimeoutMs = 60_000;
/** The service is restarting, or the proxy in front of it says so. */
export const transientCodes = new Set(['unreachable', 'unavailable', 'rate_limited', 'internal', 'invalid_response']);

/** Polls a resource until it is finished. The work continues in the service even if this process ends. */
export async function pollUntilFinished<Resource, More>(polling: Polling<Resource, More>): Promise<Resource> {
  const { read, isFinished, show, progress, errorContext } = polling;
  let failingSinceMs: number | undefined;
  try {
    for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 1.3, maxPauseMs)) {
      const { data, error } = await read();
      if (error) {
        failingSinceMs ??= Date.now();
        if (!transientCodes.has(error.code) || Date.now() - failingSinceMs > outageTimeoutMs) throw toCommandError(error, errorContext);
        progress.show({ text: 'The service is not responding. Retrying…' });
      } else {
        failingSinceMs = undefined;
        show(data);
        if (isFinished(data)) return data;
      }
      await sleep(pauseMs);
    }
  } finally {
    progress.end();
  }
}
