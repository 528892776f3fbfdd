import type { Api, ApiParts } from './api.ts';
import type { Storage } from './storage.ts';
import type { Applied } from '../directory/apply-mutations.ts';
import type { ApplyGroup } from '../directory/intake.ts';
import type { FindMissing } from '../http/deps.ts';
import type { Metrics } from '../metrics.ts';

/** What does the work, by Temporal or without, and what an API needs of it. */
export interface RunningWork {
  storage: Storage;
  metrics: Metrics;
  findMissing: FindMissing;
  composeApi(parts: ServedParts): Api;
  /** First those who work, then what they use. */
  stop(): Promise<void>;
}

export interface ServedParts extends Pick<ApiParts, 'apiKeys' | 'limiting' | 'baseUrl' | 'watchIntake'> {
  /** Somebody may want to know what was applied. */
  watchApply?: (apply: ApplyGroup) => ApplyGroup;
  /** And what the reading of a hosted directory changed, where this process reads it. */
  tellSynced?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}
