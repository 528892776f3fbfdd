import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';

/** After it was asked to end an activity may note where it stands. */
const graceMs = 1_000;

/**
 * Ends an activity with its worker, whatever it waits for: a lock, or a database that does not respond. It is begun again elsewhere, or
 * after the next start. A worker that is left with activities would keep the process, and then tear down what they use.
 */
export const stopWithWorker =
  <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const { cancellationSignal: signal } = Context.current();
    let timer: NodeJS.Timeout | undefined;
    let leave!: () => void;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        if ((signal.reason as Error | undefined)?.message !== 'WORKER_SHUTDOWN') return;
        timer = setTimeout(() => reject(workerEnds()), graceMs);
      };
    });
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave);
    try {
      return await Promise.race([activity(...args), left]);
    } finally {
      signal.removeEventListener('abort', leave);
      clearTimeout(timer);
    }
  };

/** Nothing failed, so another worker takes over at once. */
const workerEnds = () =>
  ApplicationFailure.create({ message: 'This worker ends; another one goes on.', type: 'worker_ends', nextRetryDelay: 100 });

/**
 * The same for a local activity, which nothing else could take over while its worker tries it again and again: it says that it was
 * interrupted, and its workflow has it run elsewhere.
 */
export const interruptible =
  <Args extends unknown[], Result>(stopping: AbortSignal, activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result | 'interrupted'> => {
    if (stopping.aborted) return 'interrupted';
    let leave!: () => void;
    const left = new Promise<'interrupted'>((resolve) => (leave = () => resolve('interrupted')));
    stopping.addEventListener('abort', leave);
    try {
      return await Promise.race([activity(...args), left]);
    } finally {
      stopping.removeEventListener('abort', leave);
    }
  };
