import type { Leases } from '../limits/ports.ts';
import type { Logger } from '../logger.ts';
import { toLoggableMessage } from '../shared/loggable-message.ts';

interface ScheduledBatchesDeps {
  everyMs: number;
  deliver(): Promise<void>;
  leases: Pick<Leases, 'take'>;
  log: Logger;
}

/** Delivers at each multiple of the interval. The timer does not keep the process alive. */
export function scheduleBatches({ everyMs, deliver, leases, log }: ScheduledBatchesDeps): { stop(): Promise<void> } {
  let delivering: Promise<void> | undefined;
  let timer = startTimer();

  return {
    async stop() {
      clearTimeout(timer);
      await delivering;
    },
  };

  function startTimer(): NodeJS.Timeout {
    const now = Date.now();
    const interval = Math.floor(now / everyMs) + 1;
    return setTimeout(
      () => {
        delivering ??= deliverOnce(interval)
          .catch((error: Error) => log.warn({ error: toLoggableMessage(error) }, 'could not wake deliveries'))
          .finally(() => (delivering = undefined));
        timer = startTimer();
      },
      interval * everyMs - now,
    ).unref();
  }

  /**
   * The timers of all processes that share the database end at the same time. The first one takes the lease of the interval and delivers.
   * Intervals take two leases in turn, so a process that is late by less than an interval finds its lease taken.
   */
  async function deliverOnce(interval: number): Promise<void> {
    if ((await leases.take(`batches ${interval % 2}`, everyMs)) !== undefined) await deliver();
  }
}
