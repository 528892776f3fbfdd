import { applyDifferences, type ApplyDifferencesDeps } from './apply-differences.ts';
import { findQuotaExceededByStaging } from './exceeded-quotas.ts';
import { findObjection, type RemovalLimits } from './objections.ts';
import type { AuthorizationStore, SyncStore } from './ports.ts';
import { ProviderError, type HostedProvider } from './provider.ts';
import type { SyncDirectory, SyncEnd, SyncErrorCode, SyncPosition } from './run.ts';
import { stageMembers } from './stage-members.ts';
import { stageGroups, stageUsers, type StepRun } from './stage.ts';

export interface SyncDeps extends ApplyDifferencesDeps {
  store: SyncStore;
  authorizations: AuthorizationStore;
  provider: HostedProvider;
  removals: RemovalLimits;
  /** Does not wait, and may fail unseen. */
  tellOperatorSoon(): void;
  /** The run has failed, because its process died each time that it took the same step. */
  onAbandoned?(reason: string): void;
}

/** A step whose process died so often is not taken again. */
export const maxStepStarts = 4;

export interface SyncStep {
  directoryId: string;
  runId: string;
  position: SyncPosition;
}

/**
 * Takes a run further for a while, and says where it goes on. Whatever was done is in Postgres; a step that is taken again from an older
 * position does the same again, and changes nothing by it.
 */
export async function takeSyncStep(deps: SyncDeps, step: SyncStep, run: StepRun): Promise<SyncPosition | 'ended'> {
  const { store } = deps;
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
  const overQuota =
    step.position.phase === 'comparing' || step.position.phase === 'applying' ? undefined : findQuotaExceededByStaging(directory);
  if (overQuota) {
    await store.end(directoryId, runId, overQuota);
    return 'ended';
  }
  if ((await store.countStart(directoryId, runId)) > maxStepStarts) {
    const reason = `The process ended unexpectedly each of the ${maxStepStarts} times that it took the same step (${step.position.phase}).`;
    await store.end(directoryId, runId, { ...failed('internal', reason), tellsOperator: true });
    deps.onAbandoned?.(reason);
    deps.tellOperatorSoon();
    return 'ended';
  }
  try {
    return await advance(deps, directory, step, run);
  } catch (error) {
    if (!(error instanceof ProviderError) || run.signal.aborted) throw error;
    const end = await toEnd(deps, directory, error);
    if (end === 'again') return step.position;
    if (!end) {
      await store.notice(directoryId, runId, error.message);
      throw error;
    }
    await store.end(directoryId, runId, end);
    return 'ended';
  } finally {
    // The process lives, whatever became of the step.
    await store.forgiveStarts(directoryId, runId).catch(() => undefined);
  }
}

async function advance(deps: SyncDeps, directory: SyncDirectory, step: SyncStep, run: StepRun): Promise<SyncPosition | 'ended'> {
  const { store, provider, authorizations } = deps;
  const { directoryId, runId, position } = step;
  const staging = {
    store,
    directoryId,
    runId,
    source: provider.open(directory.connection, {
      onRenewed: (tokens) => authorizations.saveTokens(directoryId, directory.grant, tokens),
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
      const end = await findObjection(deps, directory, runId);
      if (end === 'stopped') return 'ended';
      if (!end) return { phase: 'applying' };
      await store.end(directoryId, runId, end);
      if (end.state === 'needs_confirmation') deps.tellOperatorSoon();
      return 'ended';
    }
    case 'applying':
      return applyDifferences(deps, directoryId, runId, run);
  }
}

/** `undefined` for what passes; `again` if the directory was authorised anew meanwhile. */
async function toEnd(
  { authorizations, tellOperatorSoon }: SyncDeps,
  { directoryId, grant, connection }: SyncDirectory,
  { kind, message }: ProviderError,
): Promise<SyncEnd | 'again' | undefined> {
  // What an administrator grants to a service account may come later, and then needs nobody here.
  if (kind === 'unauthorized' && connection.adminEmail !== '') return failed('provider_refused', message);
  if (kind === 'unauthorized') {
    if ((await authorizations.lose(directoryId, grant, message)) === 'replaced') return 'again';
    tellOperatorSoon();
    return failed('needs_authorization', message);
  }
  if (kind === 'busy' || kind === 'unreachable') return undefined;
  return failed(kind === 'unreadable' ? 'provider_answer' : 'provider_refused', message);
}

const failed = (code: SyncErrorCode, message: string): SyncEnd => ({ state: 'failed', error: { code, message } });
