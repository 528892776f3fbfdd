import type { Mutation, Outcome } from '../../src/directory/changes/mutation.ts';
import type { Caller } from '../../src/directory/ports.ts';
import { newId } from '../../src/ids.ts';
import { createIntake, type IntakeOptions } from '../../src/directory/intake/intake.ts';

export const create = (directoryId: string, userName: string) =>
  ({ kind: 'createUser', id: newId(), directoryId, resourceId: newId(), resource: { userName } }) as const;
export const ignoreOutcome = (outcome: Promise<Outcome>) => void outcome.catch(() => undefined);
export const done = ({ id }: Mutation): Outcome => ({ mutationId: id, resourceId: id });

interface Group {
  mutations: Mutation[];
  names: string[];
  settle(outcome: Outcome): void;
  end(error?: Error): void;
}

export function createCaller(): Caller & { leave(): void } {
  const listeners = new Set<(reason: Error) => void>();
  let reason: Error | undefined;
  return {
    throwIfDisconnected() {
      if (reason) throw reason;
    },
    onDisconnect(listener: (reason: Error) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    leave() {
      reason = new Error('left');
      for (const listener of listeners) listener(reason);
    },
  };
}

/** An intake whose workflows the test concludes. */
export function startIntake(options: Partial<IntakeOptions> = {}) {
  const groups: Group[] = [];
  const intake = createIntake({
    lanes: 2,
    timeoutMs: 5_000,
    lingerMs: 0,
    commitMutations: (mutations, settle) =>
      new Promise((resolve, reject) => {
        const names = mutations.map((mutation) => (mutation as ReturnType<typeof create>).resource.userName);
        groups.push({ mutations, names, settle, end: (error) => (error ? reject(error) : resolve()) });
      }),
    ...options,
  });
  const finish = (index: number) => {
    for (const mutation of groups[index]!.mutations) groups[index]!.settle(done(mutation));
    groups[index]!.end();
  };
  return { intake, groups, finish, names: () => groups.map((group) => group.names.join('')) };
}
