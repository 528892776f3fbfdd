import { memoryTimeoutMs, toHeldBytes } from './read-ahead.ts';
import type { Batch, DeliveryStore, DueBatch, HeldMemory, LaneMemory, OpenBatch } from './ports.ts';

/** The batch to send next, or why there is none. `settled`: another process concluded the batch. */
export type NextBatch = { open: DueBatch } | { freeze: Batch } | { retryInMs: number } | 'no room' | 'settled' | undefined;

export interface OpenBatches {
  /** The batch with its body, as soon as it is due. */
  load(open: OpenBatch): Promise<NextBatch>;
  /** Frees the memory of the last body. */
  release(): void;
}

interface OpenBatchesDeps {
  store: Pick<DeliveryStore, 'readBody'>;
  memory: LaneMemory;
}

/** Loads the bodies of batches that were begun before. Holds the memory of one body. */
export function createOpenBatches(
  { store, memory }: OpenBatchesDeps,
  { directoryId, signal, beforeWait }: { directoryId: string; signal: AbortSignal; beforeWait(): void },
): OpenBatches {
  let held: HeldMemory | undefined;
  return {
    async load(open) {
      if (open.retryInMs > 0) return { retryInMs: open.retryInMs };
      const { body } = open;
      if (body !== undefined) return { open: { ...open, body } };
      beforeWait();
      held = await memory.enter(directoryId, toHeldBytes(open.bytes), { timeoutMs: memoryTimeoutMs, signal });
      if (!held) return 'no room';
      const read = await store.readBody(directoryId, open.id);
      return read === undefined ? 'settled' : { open: { ...open, body: read } };
    },
    release() {
      held?.release();
      held = undefined;
    },
  };
}
