import type { SyncRunAnswer } from './openapi/answers/sync-run.ts';
import type { SyncRun } from '../directory/sync/run.ts';

const time = (at: Date | undefined) => at?.toISOString() ?? null;

export const presentSyncRun = (run: SyncRun): SyncRunAnswer => ({
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
  refused: run.refused,
  refusals: run.refusals.map(({ externalId, reason }) => ({ external_id: externalId, reason })),
  notice: run.notice ?? null,
  error: run.error ?? null,
  requested_at: time(run.requestedAt),
  started_at: time(run.startedAt),
  finished_at: time(run.finishedAt),
  duration_ms: run.startedAt ? (run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime() : null,
});
