import type { SyncStore } from './ports.ts';

type StepStarts = Pick<SyncStore, 'countStart' | 'forgiveStarts'>;

/** Remembers the steps that this process has begun and not ended: when it stops in an orderly way, they did not kill it. */
export function countStepStarts<Store extends StepStarts>(store: Store): Store & { forgiveOpen(): Promise<void> } {
  const open = new Map<string, string>();
  return {
    ...store,
    async countStart(directoryId, runId) {
      const starts = await store.countStart(directoryId, runId);
      open.set(runId, directoryId);
      return starts;
    },
    async forgiveStarts(directoryId, runId) {
      await store.forgiveStarts(directoryId, runId);
      open.delete(runId);
    },
    async forgiveOpen() {
      await Promise.all([...open].map(([runId, directoryId]) => store.forgiveStarts(directoryId, runId).catch(() => undefined)));
    },
  };
}
