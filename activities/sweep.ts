import { sweep as sweepOnce, type SweepDeps as SweepingDeps, type Swept } from '../src/directory/sweep.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './failures.ts';

export interface SweepDeps extends SweepingDeps {
  metrics: Metrics;
  log: Logger;
}

export const createSweep = (deps: SweepDeps) =>
  async function sweep(): Promise<Swept> {
    const { metrics, log } = deps;
    try {
      const swept = await sweepOnce(deps);
      metrics.woken('sweep', swept.woken);
      if (swept.woken > 0) log.warn({ directories: swept.woken }, 'woke deliveries that nobody was working on');
      if (swept.operatorEvents)
        log.warn({ events: swept.operatorEvents }, 'events for the operator were dropped that could not be delivered for too long');
      return swept;
    } catch (error) {
      throw toFailure(error, log);
    }
  };
