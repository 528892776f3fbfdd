import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** How long an activity may take to report its position after it was asked to end. */
const graceMs = 1_000;

/**
 * Ends an activity with its worker, whatever it waits for: a lock, or a database that does not respond. It starts again elsewhere, or
 * after the next start. A worker with unfinished activities would keep the process alive, and then close what they use.
 */
export const stopWithWorker =
  <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const { cancellationSignal: signal } = Context.current();
    let timer: NodeJS.Timeout | undefined;
    let interrupt!: () => void;
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = () => {
        if ((signal.reason as Error | undefined)?.message !== 'WORKER_SHUTDOWN') return;
        timer = setTimeout(() => reject(workerStops()), graceMs);
      };
    });
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt);
    try {
      return await Promise.race([activity(...args), interrupted]);
    } finally {
      signal.removeEventListener('abort', interrupt);
      clearTimeout(timer);
    }
  };

/** Nothing has failed, so another worker takes over immediately. */
export const workerStops = () =>
  ApplicationFailure.create({ message: 'This worker stops; another one continues.', type: 'worker_stops', nextRetryDelay: 100 });

export type Interruptible<Result> = { kind: 'completed'; result: Result } | { kind: 'interrupted' };

/** Longer than any statement may take. */
const maxAttemptMs = 40_000;

/**
 * The same for a local activity, and for one that takes too long. Its worker retries it, so no other one could take over: it reports the
 * interruption, and the workflow runs it again, elsewhere if the worker stops.
 */
export const interruptible =
  <Args extends unknown[], Result>(stopping: AbortSignal, activity: (...args: Args) => Promise<Result>, timeoutMs = maxAttemptMs) =>
  async (...args: Args): Promise<Interruptible<Result>> => {
    if (stopping.aborted) return { kind: 'interrupted' };
    let interrupt!: () => void;
    const interrupted = new Promise<Interruptible<Result>>((resolve) => (interrupt = () => resolve({ kind: 'interrupted' })));
    stopping.addEventListener('abort', interrupt);
    const timer = setTimeout(interrupt, timeoutMs);
    try {
      const completed = activity(...args).then((result): Interruptible<Result> => ({ kind: 'completed', result }));
      return await Promise.race([completed, interrupted]);
    } finally {
      stopping.removeEventListener('abort', interrupt);
      clearTimeout(timer);
    }
  };
