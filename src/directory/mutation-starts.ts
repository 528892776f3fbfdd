import type { Outcome } from './mutation.ts';

type MutationKey = { directoryId: string; id: string };

/** Starts of mutations, counted before they are made. What is left of them ended with its process. */
export interface MutationStartStore {
  /** Counts a first start of each. False if one of them was started before: then none is counted. */
  beginGroup(mutations: MutationKey[]): Promise<boolean>;
  /** Counts another start, and gives their number: 2 at least, since nobody starts a mutation again but after its first start. */
  beginAgain(mutation: MutationKey): Promise<number>;
  /** They ended by an outcome: nothing is counted of them any more. */
  conclude(mutations: MutationKey[]): Promise<void>;
  /** One start of each ended by an error. */
  forgive(mutations: MutationKey[]): Promise<void>;
  /** Stores this outcome and tells the operator, unless there is one already: then that counts. */
  reject(directoryId: string, outcome: Outcome, reason: string): Promise<Outcome>;
}

export interface MutationStarts extends MutationStartStore {
  /** The process ends in an orderly way: what it is doing now does not kill it. */
  forgiveOpen(): Promise<void>;
}

/**
 * Remembers the starts of this process: one whose error could not be recorded, because Postgres was away, is forgiven as soon as Postgres
 * is back. So an outage is never taken for a death.
 */
export function countStarts(store: MutationStartStore): MutationStarts {
  const open = new Map<string, MutationKey>();
  const owed = new Map<string, MutationKey>();

  return {
    async beginGroup(mutations) {
      await payBack(mutations);
      const isFirst = await store.beginGroup(mutations);
      if (isFirst) for (const mutation of mutations) open.set(mutation.id, mutation);
      return isFirst;
    },

    async beginAgain(mutation) {
      await payBack([mutation]);
      const starts = await store.beginAgain(mutation);
      open.set(mutation.id, mutation);
      return starts;
    },

    async conclude(mutations) {
      for (const { id } of mutations) open.delete(id);
      // What is left is swept.
      await store.conclude(mutations).catch(() => undefined);
    },

    forgive: (mutations) => forgive(mutations.filter(({ id }) => open.delete(id))),

    async reject(directoryId, outcome, reason) {
      open.delete(outcome.mutationId);
      return store.reject(directoryId, outcome, reason);
    },

    async forgiveOpen() {
      const left = [...open.values()];
      open.clear();
      await forgive(left);
    },
  };

  async function forgive(mutations: MutationKey[]): Promise<void> {
    if (mutations.length === 0) return;
    await store.forgive(mutations).catch(() => {
      for (const mutation of mutations) owed.set(mutation.id, mutation);
    });
  }

  async function payBack(mutations: MutationKey[]): Promise<void> {
    const due = mutations.filter(({ id }) => owed.has(id));
    if (due.length === 0) return;
    await store.forgive(due);
    for (const { id } of due) owed.delete(id);
  }
}
