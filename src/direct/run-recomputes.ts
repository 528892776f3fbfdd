import type { RecomputeKey } from '../directory/attributes/ports.ts';
import type { RunRecompute } from '../directory/attributes/run-recompute.ts';
import type { Logger } from '../logger.ts';
import { createBackgroundWork, type BackgroundWork } from './background-work.ts';

/** Recomputes directories. What has to wait for a webhook continues with the next maintenance. */
export const createRecomputes = ({ runRecompute, log }: { runRecompute: RunRecompute; log: Logger }): BackgroundWork<RecomputeKey> =>
  createBackgroundWork({
    run: runRecompute,
    idOf: ({ recomputeId }) => recomputeId,
    describe: (key) => key,
    interrupted: 'a recomputation was interrupted; it is resumed later',
    log,
  });
