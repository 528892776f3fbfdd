import { madeAtMs } from '../ids.ts';
import { createBudget, defaultBudgetLimits, tooManyBytes, type BudgetLimits } from '../scim/budget.ts';
import { OverBudgetError, type ScimRefusal } from '../scim/errors.ts';
import { changeInBulk, changeResource } from './changes/apply-change.ts';
import { directoryGone } from './changes/refusals.ts';
import type { Snapshot, Writes } from './changes/snapshot.ts';
import { collectWanted } from './changes/wanted.ts';
import { createWorkspace, type Workspace } from './changes/workspace.ts';
import type { ToldEvents } from './event.ts';
import type { Mutation, Outcome } from './mutation.ts';
import { backlogFull, limitOf } from './quotas.ts';
import type { ChangeStore } from './ports.ts';

export interface Applied {
  /** Of the mutations that were applied: the last ones, or all of several, may have been too much for one transaction. */
  outcomes: Outcome[];
  wake: boolean;
  /** Where the store says it. */
  told?: ToldEvents | undefined;
}

/**
 * Applies mutations of one directory at once, in their order. A refused one leaves its neighbours alone. Ids tell when a mutation was made,
 * unless said otherwise.
 */
export async function applyMutations(
  store: ChangeStore,
  directoryId: string,
  mutations: Mutation[],
  limits: BudgetLimits = defaultBudgetLimits,
  { tellsAge = true } = {},
): Promise<Applied> {
  const ids = mutations.map(({ id }) => id);
  let outcomes = new Map<string, Outcome>();
  let space: Workspace | undefined;
  const decide = async (snapshot: Snapshot): Promise<Writes> => {
    const decided = await decideMutations(mutations, tellsAge ? snapshot : { ...snapshot, outcomesTrimmedAt: undefined }, limits);
    outcomes = new Map([...snapshot.known, ...decided.outcomes, ...decided.postponed].map((outcome) => [outcome.mutationId, outcome]));
    space = decided.space;
    return { ...space.writes(), bytes: decided.bytes, outcomes: decided.outcomes };
  };
  const shownUsers = mutations.filter(showsUser).map(({ resourceId }) => resourceId);
  const maxBytes = Math.min(limits.maxBytes, Number.MAX_SAFE_INTEGER);
  const changed = await store.change({ directoryId, mutationIds: ids, wanted: collectWanted(mutations), shownUsers, maxBytes }, decide);
  if (changed === 'too_large') return { outcomes: [], wake: false };
  if (changed === 'gone')
    return { outcomes: mutations.map((mutation) => ({ ...emptyOutcome(mutation), refusal: directoryGone })), wake: false };
  const { wake, told, groupsOfShown } = changed;
  return { outcomes: ids.flatMap((id) => outcomes.get(id) ?? []).map(show), wake, told };

  /** Whoever changed a user is shown it; who reads it again finds the same. */
  function show(outcome: Outcome): Outcome {
    const groups = groupsOfShown?.[outcome.resourceId];
    const user = groups && !outcome.refusal && space?.getUser(outcome.resourceId);
    return user ? { ...outcome, user: { ...user, groups } } : outcome;
  }
}

/**
 * Decides what becomes of mutations that were not applied before. Each has a budget of its own, so that its outcome does not depend on its
 * neighbours; once they have used up one budget together, or the room for undelivered events, the rest is left for another transaction.
 * Without such room they are `postponed`: that is not kept, since the same mutation may be tried again. So is one that may have been applied
 * and has lost its outcome since.
 */
export async function decideMutations(
  mutations: Mutation[],
  snapshot: Snapshot,
  limits: BudgetLimits = defaultBudgetLimits,
): Promise<{ space: Workspace; outcomes: Outcome[]; postponed: Outcome[]; bytes: number }> {
  const known = new Set(snapshot.known.map(({ mutationId }) => mutationId));
  const space = await createWorkspace(snapshot);
  const outcomes: Outcome[] = [];
  const used = { steps: 0, bytes: 0 };
  const postponed = mutations
    .filter(({ id }) => !known.has(id) && madeAtMs(id) <= (snapshot.outcomesTrimmedAt?.getTime() ?? 0))
    .map((mutation) => ({ ...emptyOutcome(mutation), refusal: expired }));
  const isLost = (mutation: Mutation) => mutation.kind === 'bulk' && mutation.isLost && !known.has(mutation.id);
  postponed.push(...mutations.filter(isLost).map((mutation) => ({ ...emptyOutcome(mutation), refusal: lost })));
  for (const { mutationId } of postponed) known.add(mutationId);
  const room = limitOf(snapshot.quotas, 'undeliveredBytes') - snapshot.undeliveredBytes;
  if (room <= 0) {
    const refusal = backlogFull(snapshot.quotas);
    postponed.push(...mutations.filter(({ id }) => !known.has(id)).map((mutation) => ({ ...emptyOutcome(mutation), refusal })));
    return { space, outcomes, postponed, bytes: 0 };
  }
  for (const mutation of mutations) {
    if (known.has(mutation.id)) continue;
    if (used.steps >= limits.maxSteps || used.bytes >= Math.min(limits.maxBytes, room)) break;
    const before = space.eventCount();
    const budget = createBudget(limits);
    space.begin(budget);
    const outcome = snapshot.isOverBudget
      ? { ...emptyOutcome(mutation), refusal: tooManyBytes(limits.maxBytes).refusal }
      : await applyMutation(space, mutation);
    const count = space.eventCount() - before;
    const told = { first: snapshot.lastSequence + before + 1, count };
    outcomes.push(count === 0 ? outcome : { ...outcome, told });
    const { steps, bytes } = budget.spent();
    used.steps += steps;
    // What was taken back is held no longer.
    if (!outcome.refusal) used.bytes += bytes;
    const pausing = space.pause();
    if (pausing) await pausing;
  }
  return { space, outcomes, postponed, bytes: used.bytes };
}

/** It may have been applied already: its outcome would be known only if it was not dropped since. */
const expired: ScimRefusal = { status: 503, detail: 'The change waited too long and is not applied any more; send it again.' };

const lost: ScimRefusal = { status: 503, detail: 'The change was lost before it was applied; send it again.' };

const showsUser = (mutation: Mutation) => mutation.kind === 'patchUser' || mutation.kind === 'replaceUser';

/** Over its budget, a mutation is refused as a whole: all operations of a Bulk request are taken back. */
async function applyMutation(space: Workspace, mutation: Mutation): Promise<Outcome> {
  const outcome = emptyOutcome(mutation);
  try {
    return { ...outcome, ...(mutation.kind === 'bulk' ? await changeInBulk(space, mutation) : await changeResource(space, mutation)) };
  } catch (error) {
    if (!(error instanceof OverBudgetError)) throw error;
    await space.rollBack();
    return { ...outcome, refusal: error.refusal };
  }
}

/** A bulk is no resource: it goes by its own id. */
export const emptyOutcome = (mutation: Mutation): Outcome => ({
  mutationId: mutation.id,
  resourceId: mutation.kind === 'bulk' ? mutation.id : mutation.resourceId,
});
