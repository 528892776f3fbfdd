import type { SyncRun } from '../../../directory/sync/run.ts';
import { toTime } from '../field.ts';
import type { SyncRunBody } from './schemas.ts';

export const presentSyncRun = (run: SyncRun): SyncRunBody => ({
  id: run.id,
  directory_id: run.directoryId,
  state: run.state,
  phase: run.state === 'running' ? run.phase : null,
  trigger: run.trigger,
  confirms: run.confirms ?? null,
  pages: run.pages,
  seen: run.seen,
  planned: run.planned ?? null,
  changed: run.changed,
  failed: run.failed,
  failures: run.failures.map(({ externalId, reason }) => ({ external_id: externalId, reason })),
  notice: run.notice ?? null,
  error: run.error ?? null,
  requested_at: toTime(run.requestedAt),
  started_at: toTime(run.startedAt),
  finished_at: toTime(run.finishedAt),
  duration_ms: run.startedAt ? (run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime() : null,
});
