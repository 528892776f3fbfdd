import { recoverForgottenWork, type RecoveryDeps, type Swept } from '../src/directory/maintenance/recover-forgotten-work.ts';
import type { Logger } from '../src/logger.ts';
import type { Metrics } from '../src/metrics.ts';
import { toFailure } from './to-failure.ts';

export interface RunSweepDeps extends RecoveryDeps {
  metrics: Metrics;
  log: Logger;
}

export const createRunSweep = (deps: RunSweepDeps) =>
  async function runSweep(): Promise<Swept> {
    const { metrics, log } = deps;
    try {
      const swept = await recoverForgottenWork(deps);
      metrics.woken('sweep', swept.woken);
      if (swept.woken > 0) log.warn({ directories: swept.woken }, 'woke stalled deliveries');
      if (swept.operatorEvents)
        log.warn({ events: swept.operatorEvents }, 'events for the operator were dropped because they could not be delivered for too long');
      return swept;
    } catch (error) {
      throw toFailure(error, log);
    }
  };
