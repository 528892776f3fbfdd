import { AppError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { applyDifferences, type ApplyDifferencesDeps } from './apply-differences.ts';
import { checkPlan, findEndlessReading, findQuotaExceededByStaging } from './check-plan.ts';
import type { PulledType } from '../directories/directory.ts';
import type { RemovalLimits } from './removal-guard.ts';
import type { AuthorizationStore, SyncStore } from './ports.ts';
import { ProviderError, type DirectoryProvider } from './provider.ts';
import { dryRunEnd, failedEnd, type SyncDirectory, type SyncEnd, type SyncPosition } from './sync-run.ts';
import type { StepResult } from './run-queued-syncs.ts';
import { type StepRun, stageGroups, stageMembers, stageUsers } from './stage-pages.ts';

export interface SyncDeps extends ApplyDifferencesDeps {
  store: SyncStore;
  authorizations: AuthorizationStore;
  providers: Record<PulledType, DirectoryProvider>;
  /** Called with the number of differences that a full comparison found and the change links had not reported. */
  onDrift?(differences: number): void;
  removals: RemovalLimits;
  /** Returns why the directory may not grow now, if the disk is low. A run then waits, and fails after two hours. */
  diskError(directoryId: string): string | undefined;
  /** Returns immediately, and may fail silently. */
  wakeOperatorSoon?(): void;
}

/** A step is not started again after its process died this often. */
export const maxStepStarts = 4;

export interface SyncStep {
  directoryId: string;
  runId: string;
  position: SyncPosition;
}

/**
 * Advances a run for a while, and returns where it continues. All progress is in Postgres: a step that is repeated from an older position
 * changes nothing.
 */
export async function runSyncStep(deps: SyncDeps, step: SyncStep, run: StepRun): Promise<StepResult> {
  let { position } = step;
  const beat = (reached: SyncPosition) => {
    run.beat((position = reached));
    assertDiskHasRoom(deps, step);
  };
  try {
    const reached = await enterAndAdvance(deps, step, { ...run, beat });
    return reached === 'ended' ? { kind: 'ended' } : { kind: 'advanced', position: reached };
  } catch (error) {
    // An aborted step is no failure: its progress is stored.
    if (run.signal.aborted) return { kind: 'advanced', position };
    const failure = describeFailure(error, step, deps.log);
    await deps.store.notice(step.directoryId, step.runId, failure.message).catch(() => undefined);
    return { kind: 'failed', position, ...failure };
  }
}

function assertDiskHasRoom({ diskError }: SyncDeps, { directoryId }: SyncStep): void {
  const reason = diskError(directoryId);
  if (reason !== undefined) throw new AppError('unavailable', `${reason} The sync waits.`);
}

function describeFailure(error: unknown, { directoryId, runId }: SyncStep, log: Logger) {
  if (error instanceof ProviderError) {
    const { message, kind, retryAfterMs } = error;
    log.warn({ directoryId, runId, reason: message, kind }, 'the provider of a pulled directory is unavailable; retrying');
    return { code: 'provider_unavailable' as const, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  if (error instanceof AppError) return { code: 'internal' as const, message: error.message };
  log.error({ directoryId, runId, err: error }, 'a sync step failed unexpectedly; retrying');
  return { code: 'internal' as const, message: 'Internal error; the log of the service has the details.' };
}

async function enterAndAdvance(deps: SyncDeps, step: SyncStep, run: StepRun): Promise<SyncPosition | 'ended'> {
  const { store, log } = deps;
  const { directoryId, runId } = step;
  const directory = await store.enter(directoryId, runId);
  if (directory === 'stopped') return 'ended';
  if (directory === 'deactivated') {
    await store.end(directoryId, runId, { state: 'canceled', error: { code: 'deactivated', message: 'The directory was deactivated.' } });
    return 'ended';
  }
  if (directory === 'replaced') {
    await store.replace(directoryId, runId);
    return 'ended';
  }
  const isReading = step.position.phase !== 'comparing' && step.position.phase !== 'applying';
  const exceeded = isReading
    ? (findQuotaExceededByStaging(directory, deps.providers[directory.type]) ?? findEndlessReading(directory))
    : undefined;
  if (exceeded) {
    await store.end(directoryId, runId, exceeded);
    return 'ended';
  }
  assertDiskHasRoom(deps, step);
  if ((await store.countStart(directoryId, runId)) > maxStepStarts) {
    const reason = `The process ended unexpectedly each of the ${maxStepStarts} times that it took the same step (${step.position.phase}).`;
    await store.end(directoryId, runId, { ...failedEnd('internal', reason), emitsSyncFailed: true });
    log.error({ directoryId, runId, reason }, 'a sync was abandoned');
    deps.wakeOperatorSoon?.();
    return 'ended';
  }
  try {
    return await advanceInEpoch(deps, directory, step, run);
  } catch (error) {
    if (!(error instanceof ProviderError) || run.signal.aborted) throw error;
    const end = await toEnd(deps, directory, error);
    if (end === 'retry') return step.position;
    if (end === 'reset') return await restart(deps, step, error);
    if (!end) throw error;
    await store.end(directoryId, runId, end);
    return 'ended';
  } finally {
    // The process is alive, however the step ended.
    await store.resetStarts(directoryId, runId).catch(() => undefined);
  }
}

/** After a restart, a repeated step may have a position from before it. */
async function advanceInEpoch(deps: SyncDeps, directory: SyncDirectory, step: SyncStep, run: StepRun): Promise<SyncPosition | 'ended'> {
  const { store } = deps;
  const { directoryId, runId, position } = step;
  const { epoch } = directory;
  if (epochOf(position) !== epoch && position.phase !== 'applying') return { phase: 'users', epoch };
  const mode = directory.mode ?? (directory.links ? 'changes' : 'full');
  if (directory.mode === undefined) await store.beginReading(directoryId, runId, mode);
  const inEpoch = (reached: SyncPosition): SyncPosition => (reached.phase === 'applying' || epoch === 0 ? reached : { ...reached, epoch });
  const reached = await advance(deps, { ...directory, mode }, step, { ...run, beat: (at) => run.beat(inEpoch(at)) });
  return reached === 'ended' ? reached : inEpoch(reached);
}

const epochOf = (position: SyncPosition) => ('epoch' in position ? (position.epoch ?? 0) : 0);

/** A provider that rejects its own links again and again is not followed forever. */
const maxEpochs = 3;

async function restart({ store }: SyncDeps, { directoryId, runId }: SyncStep, { message }: ProviderError): Promise<SyncPosition | 'ended'> {
  const epoch = await store.restart(directoryId, runId);
  if (epoch === 'stopped') return 'ended';
  if (epoch <= maxEpochs) return { phase: 'users', epoch };
  await store.end(directoryId, runId, failedEnd('invalid_provider_response', `${message} It did so ${epoch} times in this run.`));
  return 'ended';
}

async function advance(deps: SyncDeps, directory: SyncDirectory, step: SyncStep, run: StepRun): Promise<SyncPosition | 'ended'> {
  const { store, providers, authorizations } = deps;
  const provider = providers[directory.type];
  const { directoryId, runId, position } = step;
  const staging = {
    store,
    directoryId,
    runId,
    account: directory.connection.account,
    isIncremental: directory.mode === 'changes',
    links: directory.links,
    source: provider.open(directory.connection, {
      onRenewed: (tokens) => authorizations.saveTokens(directoryId, directory.authorizationVersion, tokens),
    }),
  };
  switch (position.phase) {
    case 'users':
      return stageUsers(staging, position, run);
    case 'groups':
      return stageGroups(staging, position, run);
    case 'members':
      return stageMembers(staging, position, run);
    case 'comparing': {
      const end = await checkPlan(deps, directory, runId);
      if (end === 'stopped') return 'ended';
      if (directory.isDryRun && (!end || end.state === 'needs_confirmation')) {
        await store.end(directoryId, runId, dryRunEnd(end));
        return 'ended';
      }
      if (!end) return { phase: 'applying' };
      await store.end(directoryId, runId, end);
      if (end.state === 'needs_confirmation') deps.wakeOperatorSoon?.();
      return 'ended';
    }
    case 'applying':
      return applyDifferences(deps, directoryId, runId, run);
  }
}

/**
 * Returns `undefined` for a temporary error, `reset` if everything must be read again, and
 * `retry` if the directory was authorized again meanwhile.
 */
async function toEnd(
  { authorizations, wakeOperatorSoon }: SyncDeps,
  { directoryId, authorizationVersion, connection }: SyncDirectory,
  { kind, message }: ProviderError,
): Promise<SyncEnd | 'retry' | 'reset' | undefined> {
  if (kind === 'reset') return 'reset';
  // An administrator may grant access to a service account later, without doing anything here.
  if (kind === 'unauthorized' && connection.adminEmail !== '') return failedEnd('provider_rejected', message);
  if (kind === 'unauthorized') {
    if ((await authorizations.markRevoked(directoryId, authorizationVersion, message)) === 'replaced') return 'retry';
    wakeOperatorSoon?.();
    return failedEnd('needs_authorization', message);
  }
  if (kind === 'busy' || kind === 'unreachable') return undefined;
  return failedEnd(kind === 'invalid_response' ? 'invalid_provider_response' : 'provider_rejected', message);
}

type StepStarts = Pick<SyncStore, 'countStart' | 'resetStarts'>;

/** Tracks the steps that are in progress in this process. When it stops normally, they have not killed it. */
export function countStepStarts<Store extends StepStarts>(store: Store): Store & { forgiveOpen(): Promise<void> } {
  const open = new Map<string, string>();
  return {
    ...store,
    async countStart(directoryId, runId) {
      const starts = await store.countStart(directoryId, runId);
      open.set(runId, directoryId);
      return starts;
    },
    async resetStarts(directoryId, runId) {
      await store.resetStarts(directoryId, runId);
      open.delete(runId);
    },
    async forgiveOpen() {
      await Promise.all([...open].map(([runId, directoryId]) => store.resetStarts(directoryId, runId).catch(() => undefined)));
    },
  };
}
