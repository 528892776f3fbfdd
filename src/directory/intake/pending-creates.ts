import type { Mutation } from '../changes/mutation.ts';
import type { IntakeEntry } from './intake-entry.ts';

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
