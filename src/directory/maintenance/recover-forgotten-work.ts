import { type RestartStalledDeps, restartStalled } from '../delivery/restart-stalled.ts';
import type { DirectoryBatchStore } from '../batches/ports.ts';
import type { HealthAlertStore } from '../health/alerts.ts';
import type { OperatorEventStore } from '../operator/drain-operator-events.ts';
import type { RecomputeKey, RecomputeStore } from '../attributes/ports.ts';
import type { ErasureStore, UserKey } from '../erasure/ports.ts';
import type { ChangeStore, DeletionStore, StagedMutationStore } from '../ports.ts';
import type { FileStore } from '../files/ports.ts';
import type { SyncRunStore } from '../sync/ports.ts';
import { repeatUntilDone } from '../../shared/repeat-until-done.ts';
import type { SessionStore } from '../../access/session-ports.ts';
import type { SetupLinkStore } from '../setup-links/setup-link.ts';
import type { ScimClientStore } from '../scim-clients/ports.ts';
import { type TrimStore, trimHistory } from './retention.ts';

export interface RecoveryDeps {
  changes: Pick<ChangeStore, 'deleteOldOutcomes'>;
  staged: Pick<StagedMutationStore, 'deleteAbandoned'>;
  /** Unset where no webhooks are delivered. */
  webhooks?: WebhookRecoveryDeps | undefined;
  syncRuns: Pick<SyncRunStore, 'findForgotten'>;
  startSync(directoryId: string): Promise<void>;
  deletions: Pick<DeletionStore, 'findUnfinished'>;
  startDeletion(directoryId: string): Promise<void>;
  batches: Pick<DirectoryBatchStore, 'findUnfinished'>;
  startBatches(directoryId: string): Promise<void>;
  erasures: Pick<ErasureStore, 'findUnfinished' | 'dropFinished'>;
  startErasure(user: UserKey): Promise<void>;
  recomputes: Pick<RecomputeStore, 'findUnfinished'>;
  startRecompute(key: RecomputeKey): Promise<void>;
  trim: TrimStore;
  scimClients: Pick<ScimClientStore, 'dropExpiredTokens'>;
  sessions: Pick<SessionStore, 'dropExpired'>;
  setupLinks: Pick<SetupLinkStore, 'dropExpired'>;
  files: Pick<FileStore, 'deleteSome'>;
}

export interface WebhookRecoveryDeps extends RestartStalledDeps {
  operatorEvents: Pick<OperatorEventStore, 'oldest' | 'dropUndelivered'>;
  wakeOperator(): Promise<void>;
  /** Unset without an operator webhook. */
  healthAlerts?: HealthAlertStore | undefined;
}

const stalledAfterMs = 30_000;
const startedPerStep = 500;
const outcomesPerStep = 20_000;
const stagedPerStep = 100;
const tokensPerStep = 2_000;
const sessionsPerStep = 2_000;
const setupLinksPerStep = 2_000;
const fileRowsPerStep = 5_000;
const erasuresPerStep = 2_000;
const operatorEventsPerStep = 2_000;
const alertsPerStep = 200;

export interface Swept {
  woken: number;
  dropped: number;
  /** How many of the dropped rows were undelivered operator events. */
  operatorEvents?: number;
}

/** Resumes work that a crashed process left, and deletes expired rows. If some work could not be resumed, the error is thrown at the end. */
export async function recoverForgottenWork(deps: RecoveryDeps): Promise<Swept> {
  const { changes, staged, webhooks, syncRuns, deletions } = deps;
  const { woken, undelivered } = webhooks ? await sweepWebhooks(webhooks) : { woken: 0, undelivered: 0 };
  const failures: unknown[] = [];
  const startEach = createStartEach(failures);
  // The processes that requested these runs crashed before the runs began.
  await repeatUntilDone(async (limit) => startEach(await syncRuns.findForgotten(limit), deps.startSync), startedPerStep);
  await startEach(await deletions.findUnfinished(startedPerStep), deps.startDeletion);
  await startEach(await deps.batches.findUnfinished(startedPerStep), deps.startBatches);
  await startEach(await deps.erasures.findUnfinished(startedPerStep), deps.startErasure);
  await startEach(await deps.recomputes.findUnfinished(startedPerStep), deps.startRecompute);
  const forgotten =
    (await repeatUntilDone(changes.deleteOldOutcomes, outcomesPerStep)) + (await repeatUntilDone(staged.deleteAbandoned, stagedPerStep));
  await trimHistory(deps.trim);
  await repeatUntilDone(deps.scimClients.dropExpiredTokens, tokensPerStep);
  await repeatUntilDone(deps.sessions.dropExpired, sessionsPerStep);
  await repeatUntilDone(deps.setupLinks.dropExpired, setupLinksPerStep);
  await repeatUntilDone(deps.files.deleteSome, fileRowsPerStep);
  await repeatUntilDone(deps.erasures.dropFinished, erasuresPerStep);
  // Last, because it looks at every directory: if it fails, the steps before are done.
  if (webhooks) await announceHealth(webhooks);
  if (failures.length > 0) throw failures[0];
  return { woken, dropped: forgotten + undelivered, operatorEvents: undelivered };
}

async function sweepWebhooks({ operatorEvents, wakeOperator, ...deps }: WebhookRecoveryDeps) {
  const woken = await restartStalled(deps, stalledAfterMs);
  const undelivered = await repeatUntilDone(operatorEvents.dropUndelivered, operatorEventsPerStep);
  if (await operatorEvents.oldest()) await wakeOperator();
  return { woken, undelivered };
}

async function announceHealth({ operatorEvents, wakeOperator, healthAlerts }: WebhookRecoveryDeps) {
  if (!healthAlerts) return;
  await repeatUntilDone(healthAlerts.announceRecovered, alertsPerStep);
  await repeatUntilDone(healthAlerts.announceStale, alertsPerStep);
  if (await operatorEvents.oldest()) await wakeOperator();
}

/** Returns how many have started. One that fails each time must keep neither the others nor the steps after it from their work. */
const createStartEach =
  (failures: unknown[]) =>
  async <Found>(found: Found[], start: (one: Found) => Promise<void>): Promise<number> => {
    const started = await Promise.allSettled(found.map(start));
    const failed = started.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    failures.push(...failed);
    return found.length - failed.length;
  };
