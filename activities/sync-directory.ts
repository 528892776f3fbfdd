import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { SyncStore } from '../src/directory/sync/ports.ts';
import { ProviderError } from '../src/directory/sync/provider.ts';
import type { SyncEnd, SyncPosition } from '../src/directory/sync/run.ts';
import { takeSyncStep as takeStep, type SyncDeps, type SyncStep } from '../src/directory/sync/take-step.ts';
import type { Logger } from '../src/logger.ts';
import { heartbeatEveryMs } from '../src/temporal/timeouts.ts';
import { toFailure } from './failures.ts';

export interface SyncActivityDeps extends SyncDeps {
  log: Logger;
  syncStepMs: number;
}

interface Beat {
  runId: string;
  position: SyncPosition;
}

const rowsAtOnce = 20_000;
const longestWaitMs = 300_000;
/** A provider is given more time than our own failures are. */
const backOffMs = (attempt: number) => 1_000 * 2 ** Math.min(attempt - 1, 9);

/** A step goes on where its last heartbeat was. */
export const createTakeSyncStep = ({ log, syncStepMs, ...deps }: SyncActivityDeps) =>
  async function takeSyncStep(step: SyncStep): Promise<SyncPosition | 'ended'> {
    const { heartbeat, cancellationSignal: signal, info } = Context.current();
    const { runId } = step;
    const reported = info.heartbeatDetails as Beat | undefined;
    // A heartbeat of another run may carry the same activity's id.
    let position = reported?.runId === runId ? reported.position : step.position;
    const beat = (reached: SyncPosition) => heartbeat({ runId, position: (position = reached) } satisfies Beat);
    // A comparison takes its time, and has no steps.
    const beating = setInterval(() => beat(position), heartbeatEveryMs);
    try {
      return await takeStep({ ...deps, onAbandoned }, { ...step, position }, { beat, signal, budgetMs: syncStepMs });
    } catch (error) {
      // Told to stop in the middle of something: what is kept is kept.
      if (signal.aborted) return position;
      const { directoryId } = step;
      if (!(error instanceof ProviderError)) {
        const failure = toFailure(error, log);
        await deps.store.notice(directoryId, runId, failure.message).catch(() => undefined);
        throw failure;
      }
      log.warn({ directoryId, runId, reason: error.message, kind: error.kind }, 'a hosted directory keeps us waiting');
      const { retryAfterMs } = error;
      throw ApplicationFailure.create({
        message: error.message,
        type: error.kind,
        nextRetryDelay: Math.min(Math.max(retryAfterMs ?? 0, backOffMs(info.attempt)), longestWaitMs),
      });
    } finally {
      clearInterval(beating);
    }

    function onAbandoned(reason: string) {
      log.error({ directoryId: step.directoryId, runId, reason }, 'a sync was abandoned');
    }
  };

export const createBeginSync = ({ store, log }: Pick<SyncActivityDeps, 'store' | 'log'>) =>
  async function beginSync(request: Parameters<SyncStore['begin']>[0]): Promise<string | undefined> {
    try {
      return await store.begin(request);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

export const createEndSync = ({ store, log }: Pick<SyncActivityDeps, 'store' | 'log'>) =>
  async function endSync({ directoryId, runId, end }: { directoryId: string; runId: string; end: SyncEnd }): Promise<void> {
    try {
      await store.end(directoryId, runId, end);
    } catch (error) {
      throw toFailure(error, log);
    }
  };

export const createClearSyncs = ({ store, log }: Pick<SyncActivityDeps, 'store' | 'log'>) =>
  async function clearSyncs(directoryId: string): Promise<void> {
    const { cancellationSignal: signal } = Context.current();
    try {
      while (!signal.aborted && (await store.clear(directoryId, rowsAtOnce)));
    } catch (error) {
      throw toFailure(error, log);
    }
  };
