import { Context } from '@temporalio/activity';
import { heartbeatEveryMs } from '../src/temporal/timeouts.ts';
import { stopWithWorker } from './stop-with-worker.ts';

/** Sends heartbeats while the activity runs, whatever it waits for: without them, its process is dead. The activity ends with its worker. */
export const keepAlive =
  <Args extends unknown[], Result>(activity: (...args: Args) => Promise<Result>) =>
  async (...args: Args): Promise<Result> => {
    const { heartbeat } = Context.current();
    const beating = setInterval(() => heartbeat(), heartbeatEveryMs);
    try {
      return await stopWithWorker(activity)(...args);
    } finally {
      clearInterval(beating);
    }
  };
