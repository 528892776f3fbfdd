import type { SyncStore } from './ports.ts';

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
