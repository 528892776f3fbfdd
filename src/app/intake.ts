import type { Config } from '../config.ts';
import { isDeletion } from '../directory/changes/mutation.ts';
import type { HourlyChanges } from '../directory/intake/hourly-changes.ts';
import { type CommitMutations, createIntake, rejectWhileBacklogged } from '../directory/intake/intake.ts';
import { createIntakeActivity } from '../directory/intake/intake-activity.ts';
import type { Intake } from '../directory/ports.ts';
import { AppError } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import type { DiskWatch } from './disk-watch.ts';

export interface ApiIntakeParts {
  config: Pick<Config, 'intake'>;
  disk: DiskWatch;
  metrics: Pick<Metrics, 'quotaReached'>;
  commitMutations: CommitMutations;
  /** It is set where changes go through Temporal. */
  hourlyChanges?: HourlyChanges | undefined;
  /** Wraps the intake, to learn the outcomes of mutations. */
  watchIntake?: ((intake: Intake) => Intake) | undefined;
}

/** The intake of the API, which rejects changes beyond a limit before they wait. */
export function createApiIntake({ config, disk, metrics, commitMutations, hourlyChanges, watchIntake }: ApiIntakeParts) {
  const unlimited = createIntake({ commitMutations: hourlyChanges?.count(commitMutations) ?? commitMutations, ...config.intake });
  const limited = hourlyChanges?.limit(unlimited) ?? unlimited;
  const guarded = rejectWhileBacklogged(rejectWhileFull(limited, disk), metrics.quotaReached);
  const activity = createIntakeActivity();
  const watched = activity.watch(guarded);
  return { intake: watchIntake?.(watched) ?? watched, isIntakeBusy: activity.isBusy };
}

/** Accepts no changes while the disk is full, and only deletions from large directories while it is low. Reads continue. */
function rejectWhileFull(intake: Intake, disk: Pick<DiskWatch, 'missing' | 'growthError'>): Intake {
  return {
    assertAccepts(directoryId, options) {
      const missing = disk.missing();
      if (missing !== undefined) throw new AppError('unavailable', missing);
      intake.assertAccepts(directoryId, options);
    },
    submit(mutation, caller) {
      const missing = disk.missing() ?? (isDeletion(mutation) ? undefined : disk.growthError(mutation.directoryId));
      return missing === undefined ? intake.submit(mutation, caller) : Promise.reject(new AppError('unavailable', missing));
    },
  };
}
