import { applyBulk, applyChange } from './changes/apply-change.ts';
import { directoryGone } from './changes/refusals.ts';
import type { Snapshot, Writes } from './changes/snapshot.ts';
import { collectWanted } from './changes/wanted.ts';
import { createWorkspace, type Workspace } from './changes/workspace.ts';
import type { ToldEvents } from './event.ts';
import type { Mutation, Outcome } from './mutation.ts';
import type { ChangeStore } from './ports.ts';

export interface Applied {
  outcomes: Outcome[];
  wake: boolean;
  /** Where the store says it. */
  told?: ToldEvents | undefined;
}

/** Applies mutations of one directory at once, in their order. A refused one leaves its neighbours alone. */
export async function applyMutations(store: ChangeStore, directoryId: string, mutations: Mutation[]): Promise<Applied> {
  const ids = mutations.map(({ id }) => id);
  let outcomes = new Map<string, Outcome>();
  let space: Workspace | undefined;
  const decide = (snapshot: Snapshot): Writes => {
    outcomes = new Map(snapshot.known.map((outcome) => [outcome.mutationId, outcome]));
    const current = (space = createWorkspace(snapshot));
    const made = mutations
      .filter(({ id }) => !outcomes.has(id))
      .map((mutation) => {
        const before = current.events.length;
        const outcome = applyMutation(current, mutation);
        const count = current.events.length - before;
        return count === 0 ? outcome : { ...outcome, told: { first: snapshot.lastSequence + before + 1, count } };
      });
    for (const outcome of made) outcomes.set(outcome.mutationId, outcome);
    return { ...current.writes(), outcomes: made };
  };
  const shownUsers = mutations.filter(showsUser).map(({ resourceId }) => resourceId);
  const changed = await store.change({ directoryId, mutationIds: ids, wanted: collectWanted(mutations), shownUsers }, decide);
  if (changed === 'gone')
    return { outcomes: mutations.map((mutation) => ({ ...startOutcome(mutation), refusal: directoryGone })), wake: false };
  const { wake, told, groupsOfShown } = changed;
  return { outcomes: ids.map((id) => show(outcomes.get(id)!)), wake, told };

  /** Whoever changed a user is shown it; who reads it again finds the same. */
  function show(outcome: Outcome): Outcome {
    const user = groupsOfShown && shownUsers.includes(outcome.resourceId) && !outcome.refusal && space?.getUser(outcome.resourceId);
    return user ? { ...outcome, user: { ...user, groups: groupsOfShown[user.id] ?? [] } } : outcome;
  }
}

const showsUser = (mutation: Mutation) => mutation.kind === 'patchUser' || mutation.kind === 'replaceUser';

const applyMutation = (space: Workspace, mutation: Mutation): Outcome => ({
  ...startOutcome(mutation),
  ...(mutation.kind === 'bulk' ? applyBulk(space, mutation) : applyChange(space, mutation)),
});

/** A bulk is no resource: it goes by its own id. */
export const startOutcome = (mutation: Mutation): Outcome => ({
  mutationId: mutation.id,
  resourceId: mutation.kind === 'bulk' ? mutation.id : mutation.resourceId,
});
