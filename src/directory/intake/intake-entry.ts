import { AppError } from '../../errors.ts';
import { countJsonValues, estimateJsonMemory } from '../../shared/json-memory.ts';
import type { Mutation, Outcome } from '../changes/mutation.ts';
import type { Caller } from './ports.ts';

/** A mutation in the intake, from its submission to its outcome. */
export interface IntakeEntry {
  mutation: Mutation;
  /** Increases with each submission. */
  arrival: number;
  /** The content of a create, without generated IDs: equal for a request that is sent again. */
  request: string | undefined;
  /** Size as JSON. */
  bytes: number;
  /** Estimated memory while it waits. */
  memoryBytes: number;
  /** Callers that still wait. Identical creates share one entry. */
  callers: number;
  outcome: Promise<Outcome>;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export function createIntakeEntry(mutation: Mutation, { request, arrival }: Pick<IntakeEntry, 'request' | 'arrival'>): IntakeEntry {
  const bytes = Buffer.byteLength(request ?? JSON.stringify(mutation));
  const memoryBytes = estimateJsonMemory({ bytes, values: countJsonValues(mutation) });
  const entry = { mutation, request, arrival, bytes, memoryBytes, callers: 0 } as IntakeEntry;
  entry.outcome = new Promise<Outcome>((resolve, reject) => Object.assign(entry, { resolve, reject }));
  // Each waiting caller handles the rejection; none may be left.
  entry.outcome.catch(() => undefined);
  return entry;
}

/**
 * Waits for the outcome until the caller disconnects or `timeoutMs` is over. Calls `onAbandoned` when the last caller gives up; the mutation
 * may still be applied.
 */
export function waitForOutcome(
  entry: IntakeEntry,
  caller: Caller | undefined,
  { timeoutMs, onAbandoned }: { timeoutMs: number; onAbandoned(entry: IntakeEntry): void },
): Promise<Outcome> {
  entry.callers += 1;
  return new Promise((resolve, reject) => {
    const stopWaiting = () => {
      clearTimeout(timer);
      stopListening?.();
    };
    const giveUp = (error: Error) => {
      stopWaiting();
      entry.callers -= 1;
      if (entry.callers === 0) onAbandoned(entry);
      reject(error);
    };
    const timer = setTimeout(() => giveUp(commitTimedOut()), timeoutMs);
    const stopListening = caller?.onDisconnect(giveUp);
    void entry.outcome.then(resolve, reject).then(stopWaiting);
  });
}

export const commitTimedOut = () => new AppError('unavailable', 'The change could not be committed in time (SCIM_TIMEOUT_MS); try again.');

/** Creates that are queued or in flight, so that an identical create shares the outcome of the first. */
export function createPendingCreates() {
  const entries = new Map<string, IntakeEntry>();
  return {
    find: (request: string | undefined) => (request === undefined ? undefined : entries.get(request)),
    add(entry: IntakeEntry): void {
      if (entry.request !== undefined) entries.set(entry.request, entry);
    },
    remove(entry: IntakeEntry): void {
      if (entry.request !== undefined && entries.get(entry.request) === entry) entries.delete(entry.request);
    },
  };
}

/** The content of a create without the IDs that were generated for it. Undefined for other mutations. */
export function toCreateRequest(mutation: Mutation): string | undefined {
  if (mutation.kind !== 'createUser' && mutation.kind !== 'createGroup') return undefined;
  const { kind, directoryId, resource } = mutation;
  return JSON.stringify([kind, directoryId, resource, mutation.kind === 'createGroup' ? mutation.members : []]);
}
