import type { Mutation, Outcome } from '../changes/mutation.ts';

/** Applies a mutation durably, and returns its outcome once it is committed. */
export interface Intake {
  /**
   * Throws what `submit` would throw for any change of the directory, so that the body of a request is not read in vain. `mayRepeat`: the
   * change may be a create that waits already.
   */
  assertAccepts(directoryId: string, options: { mayRepeat: boolean }): void;
  /** Removes the mutation from the queue if its caller disconnects before it was submitted. */
  submit(mutation: Mutation, caller?: Caller): Promise<Outcome>;
}

/** The client that waits for a response. There is one per change: it costs a tenth of an `AbortSignal`. */
export interface Caller {
  throwIfDisconnected(): void;
  /** Returns a function that removes the listener. */
  onDisconnect(listener: (reason: Error) => void): () => void;
}

/** A mutation that is too large for Temporal's history, which is kept long after the workflow: Postgres holds it, encrypted. */
interface StagedMutation {
  kind: 'staged';
  mutationKind: Mutation['kind'];
  /** The size as JSON. */
  bytes: number;
  id: string;
  directoryId: string;
  /** The resource that it creates or changes. A Bulk has none. */
  resourceId?: string;
}
export type SubmittedMutation = Mutation | StagedMutation;

export interface StagedMutationStore {
  /** `json` is the mutation as JSON, if the caller has it. Returns `full` if the directory has no room for more. */
  put(mutation: Mutation, json?: string): Promise<StagedMutation | { kind: 'full'; message: string }>;
  fetch(staged: StagedMutation): Promise<Mutation>;
  /** Deletes a staged mutation that was applied. */
  delete(staged: StagedMutation): Promise<void>;
  /** Deletes staged mutations that will not be applied any more; returns how many. */
  deleteAbandoned(limit: number): Promise<number>;
}
