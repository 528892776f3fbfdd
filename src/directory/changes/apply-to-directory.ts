import { createdAtMs } from '../../ids.ts';
import { createBudget, defaultBudgetLimits, tooManyBytes, tooManyCopies, type BudgetLimits } from '../../scim/budget.ts';
import { OverBudgetError } from '../../scim/errors.ts';
import { sizeOf } from '../../scim/resource/size-limits.ts';
import { changeInBulk, changeResource } from './change-resource.ts';
import { recomputeUsers } from './recompute-users.ts';
import { changeExpired, changeLost, directoryGone, unexpectedFailure } from './change-errors.ts';
import type { Snapshot, Writes } from './snapshot.ts';
import { collectReadSet, collectWideReadSet } from './read-set.ts';
import { createWorkspace, type Workspace } from './workspace.ts';
import type { EmittedEvents, EventCause } from '../event.ts';
import type { Mutation, Outcome, Result } from './mutation.ts';
import { backlogFull, limitOf } from '../quotas.ts';
import type { Changed, ChangeStore } from '../ports.ts';
import type { User } from '../resources/user.ts';
import { AppError } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { toLoggableMessage } from '../../shared/loggable-message.ts';

export interface ApplyToDirectoryDeps {
  changes: ChangeStore;
  /** The budget of each mutation. */
  budget?: BudgetLimits | undefined;
  /** It is called for each operation that a quota rejects. */
  onQuotaReached(quota: string): void;
  log: Logger;
}

export interface ApplyOptions {
  /** Default: true. */
  expires?: boolean;
  /** Why events are emitted. Default: `scim`. */
  reason?: EventCause | undefined;
  /** Reads and decides at once, but writes only when this resolves. If it rejects, so does the call, and nothing is written. */
  accepted?: Promise<void> | undefined;
}

export type ApplyToDirectory = (directoryId: string, mutations: Mutation[], options?: ApplyOptions) => Promise<Applied>;

export interface Applied {
  /** Incomplete if the mutations were too much for one transaction: the last ones, or all of several, may be missing. */
  outcomes: Outcome[];
  /** The directory's delivery was idle: the caller must wake it. */
  wake: boolean;
  /** Only from a store that returns events. */
  emitted?: EmittedEvents | undefined;
}

/**
 * Applies mutations to a directory, in as many transactions as they need. A mutation that fails unexpectedly gets an
 * outcome with an internal error; the others are applied.
 */
export function createApplyToDirectory({ changes, budget, onQuotaReached, log }: ApplyToDirectoryDeps): ApplyToDirectory {
  return async function applyToDirectory(directoryId, mutations, options) {
    let applied: Applied;
    try {
      applied = await applyInTransaction(changes, directoryId, mutations, budget, options);
      reportQuotas(applied, onQuotaReached);
    } catch (error) {
      if (error instanceof AppError) throw error;
      const [only, ...others] = mutations;
      if (only && others.length === 0) {
        log.error({ err: error, directoryId, mutationId: only.id, kind: only.kind }, 'a mutation failed unexpectedly');
        return { outcomes: [{ ...emptyOutcome(only), error: unexpectedFailure }], wake: false };
      }
      applied = { outcomes: [], wake: false };
      for (const mutation of mutations) applied = join(applied, await applyToDirectory(directoryId, [mutation], options));
      return applied;
    }
    const left = leftOf(mutations, applied);
    if (left.length === 0) return applied;
    const next = applied.outcomes.length > 0 ? [left] : halve(left);
    for (const some of next) applied = join(applied, await applyToDirectory(directoryId, some, options));
    return applied;
  };
}

/**
 * Applies mutations of several directories together. The result lacks each directory whose mutations have to be applied alone, because they
 * are too much, the directory is in use, or something failed. Throws if the database is away.
 */
export function createApplyTogether({ changes, budget = defaultBudgetLimits, onQuotaReached, log }: ApplyToDirectoryDeps) {
  const limits = { ...budget, maxSteps: Math.min(budget.maxSteps, maxSharedSteps) };
  return async function applyTogether(
    byDirectory: Map<string, Mutation[]>,
    { accepted }: Pick<ApplyOptions, 'accepted'> = {},
  ): Promise<Map<string, Applied>> {
    const prepared = new Map(
      [...byDirectory].map(([directoryId, mutations]) => [
        directoryId,
        prepare(directoryId, mutations, limits, { isShared: true, accepted }),
      ]),
    );
    const changed = await changes.changeTogether([...prepared.values()], (error) =>
      log.warn(
        { error: toLoggableMessage(error), directories: byDirectory.size },
        'changes of several directories failed together; each directory is tried alone',
      ),
    );
    const applied = [...changed].map(([directoryId, change]): [string, Applied] => [
      directoryId,
      prepared.get(directoryId)!.conclude(change),
    ]);
    for (const [, one] of applied) reportQuotas(one, onQuotaReached);
    return new Map(applied);
  };
}

/** About 10 ms. Others wait for a decision, so a longer one is made when its directory is alone. */
const maxSharedSteps = 50_000;

/** The mutations without an outcome: together with the others they were too much for one transaction. */
export function leftOf<Item extends { id: string }>(mutations: Item[], { outcomes }: Applied): Item[] {
  const settled = new Set(outcomes.map(({ mutationId }) => mutationId));
  return mutations.filter(({ id }) => !settled.has(id));
}

function reportQuotas({ outcomes }: Applied, onQuotaReached: (quota: string) => void): void {
  for (const result of outcomes.flatMap((outcome): Result[] => outcome.results ?? [outcome]))
    if (result.error && 'quota' in result.error) onQuotaReached(result.error.quota);
}

function join(one: Applied, next: Applied): Applied {
  const emitted =
    one.emitted && next.emitted
      ? { ...next.emitted, events: [...one.emitted.events, ...next.emitted.events] }
      : (next.emitted ?? one.emitted);
  return { outcomes: [...one.outcomes, ...next.outcomes], wake: one.wake || next.wake, ...(emitted && { emitted }) };
}

function halve(mutations: Mutation[]): Mutation[][] {
  const middle = Math.ceil(mutations.length / 2);
  return [mutations.slice(0, middle), mutations.slice(middle)];
}

/**
 * Applies mutations of one directory in one transaction, in their order. A rejected one does not affect the others. With `expires`, a
 * mutation is not applied if its outcome may have been deleted already; its ID contains its age.
 */
export async function applyInTransaction(
  store: Pick<ChangeStore, 'change'>,
  directoryId: string,
  mutations: Mutation[],
  limits: BudgetLimits = defaultBudgetLimits,
  options: ApplyOptions = {},
): Promise<Applied> {
  const { request, decide, conclude } = prepare(directoryId, mutations, limits, options);
  const changed = await store.change(request, decide);
  if (changed === 'too_large') return { outcomes: [], wake: false };
  if (changed === 'gone')
    return { outcomes: mutations.map((mutation) => ({ ...emptyOutcome(mutation), error: directoryGone })), wake: false };
  return conclude(changed);
}

/** One transaction: what it reads, how it is decided, and what follows from what was written. */
function prepare(
  directoryId: string,
  mutations: Mutation[],
  limits: BudgetLimits = defaultBudgetLimits,
  { expires = true, reason, isShared = false, accepted }: ApplyOptions & { isShared?: boolean } = {},
) {
  const mutationIds = mutations.map(({ id }) => id);
  let outcomes = new Map<string, Outcome>();
  let space: Workspace | undefined;
  let moved = new Map<string, string[]>();
  const shownUsers = mutations.flatMap((mutation) => (showsUser(mutation) ? [mutation.resourceId] : []));
  const maxBytes = Math.min(limits.maxBytes, Number.MAX_SAFE_INTEGER);
  const reads = { wanted: collectReadSet(mutations), widen: (users: User[]) => collectWideReadSet(mutations, users) };
  return { request: { directoryId, mutationIds, ...reads, shownUsers, maxBytes }, decide, conclude };

  async function decide(snapshot: Snapshot): Promise<Writes> {
    const seen = {
      ...snapshot,
      ...(!expires && { outcomesTrimmedAt: undefined }),
      // An erasure must not wait for a receiver. It is emitted for a hidden user too, of whom the application may have kept something.
      // The deletion of a directory waits for its receiver by itself.
      ...(reason === 'deletion' && { undeliveredBytes: 0 }),
      ...(reason === 'erasure' && { undeliveredBytes: 0, hiding: undefined, hidden: new Set<string>() }),
    };
    const decided = await decideOutcomes(mutations, seen, limits, { isShared, reason });
    outcomes = new Map(
      [...snapshot.knownOutcomes, ...decided.outcomes, ...decided.postponed].map((outcome) => [outcome.mutationId, outcome]),
    );
    ({ space, moved } = decided);
    await accepted;
    const isDerived = mutations.every(({ kind }) => kind === 'recompute');
    return { ...space.writes(), bytes: decided.bytes, outcomes: decided.outcomes, ...(isDerived && { isDerived }) };
  }

  function addMoved(outcome: Outcome): Outcome {
    const keys = moved.get(outcome.mutationId);
    return keys ? { ...outcome, moved: keys } : outcome;
  }

  function conclude({ wake, emitted, groupsOfShown }: Changed): Applied {
    const known = mutationIds.flatMap((id) => outcomes.get(id) ?? []);
    return { outcomes: known.map(addMoved).map(addUser), wake, emitted };

    /** Adds the changed user to the outcome, so that the response needs no further read. */
    function addUser(outcome: Outcome): Outcome {
      const groups = groupsOfShown?.[outcome.resourceId];
      const user = groups && !outcome.error && space?.getUser(outcome.resourceId);
      return user && sizeOf(user.resource).bytes <= maxShownBytes ? { ...outcome, user: { ...user, pushed: undefined, groups } } : outcome;
    }
  }
}

/** A larger user is read for the response, which waits for memory first. */
const maxShownBytes = 65_536;

/**
 * Decides the outcomes of mutations that were not applied before. Each has its own budget, so that its outcome does not depend on the others.
 * When they have used up one budget together, or the room for undelivered events, the rest is left for another transaction.
 *
 * `postponed` outcomes are not stored, because the same mutation may be tried again: without room for events, or if it may have been applied
 * already and its outcome was deleted; or because a recomputation changes nothing.
 */
export async function decideOutcomes(
  mutations: Mutation[],
  snapshot: Snapshot,
  limits: BudgetLimits = defaultBudgetLimits,
  { isShared = false, reason }: { isShared?: boolean; reason?: EventCause | undefined } = {},
): Promise<{ space: Workspace; outcomes: Outcome[]; postponed: Outcome[]; moved: Map<string, string[]>; bytes: number }> {
  const known = new Set(snapshot.knownOutcomes.map(({ mutationId }) => mutationId));
  const space = await createWorkspace(snapshot, { reason });
  const outcomes: Outcome[] = [];
  const moved = new Map<string, string[]>();
  const used = { steps: 0, bytes: 0 };
  const postponed: Outcome[] = mutations
    .filter(({ id }) => !known.has(id) && createdAtMs(id) <= (snapshot.outcomesTrimmedAt?.getTime() ?? 0))
    .map((mutation) => ({ ...emptyOutcome(mutation), error: changeExpired }));
  const isLost = (mutation: Mutation) => mutation.kind === 'bulk' && mutation.isLost && !known.has(mutation.id);
  postponed.push(...mutations.filter(isLost).map((mutation) => ({ ...emptyOutcome(mutation), error: changeLost })));
  for (const { mutationId } of postponed) known.add(mutationId);
  const room = limitOf(snapshot.quotas, 'undeliveredBytes') - snapshot.undeliveredBytes;
  if (room <= 0) {
    const error = backlogFull(snapshot.quotas);
    postponed.push(...mutations.filter(({ id }) => !known.has(id)).map((mutation) => ({ ...emptyOutcome(mutation), error })));
    return { space, outcomes, postponed, moved, bytes: 0 };
  }
  for (const mutation of mutations) {
    if (known.has(mutation.id)) continue;
    if (used.steps + space.derivedSteps() >= limits.maxSteps || used.bytes >= Math.min(limits.maxBytes, room)) break;
    const before = space.eventCount();
    const budget = createBudget(limits);
    space.beginMutation(budget);
    const outcome = snapshot.overBudget
      ? { ...emptyOutcome(mutation), error: overBudget[snapshot.overBudget](limits.maxBytes).details }
      : await decideMutation(space, mutation, { isShared });
    if (mutation.kind === 'recompute' && !outcome.error && space.writes().users.updated.length === 0) {
      postponed.push(outcome);
      continue;
    }
    const count = space.eventCount() - before;
    const emitted = { first: snapshot.lastSequence + before + 1, count };
    outcomes.push(count === 0 ? outcome : { ...outcome, emitted });
    if (space.moved().length > 0) moved.set(mutation.id, space.moved());
    const { steps, bytes } = budget.spent();
    used.steps += steps;
    // A mutation that was rolled back uses no memory.
    if (!outcome.error) used.bytes += bytes;
    const pausing = space.pause();
    if (pausing) await pausing;
  }
  return { space, outcomes, postponed, moved, bytes: used.bytes };
}

const overBudget = { rows: tooManyBytes, copies: tooManyCopies };

const showsUser = (mutation: Mutation): mutation is Mutation & { resourceId: string } =>
  mutation.kind === 'patchUser' || mutation.kind === 'replaceUser';

/**
 * A mutation over its budget is rejected as a whole: all operations of a Bulk request are
 * rolled back. `isShared` budgets are smaller: it throws.
 */
async function decideMutation(space: Workspace, mutation: Mutation, { isShared }: { isShared: boolean }): Promise<Outcome> {
  const outcome = emptyOutcome(mutation);
  try {
    if (mutation.kind === 'recompute') {
      await recomputeUsers(space, mutation);
      return outcome;
    }
    return { ...outcome, ...(mutation.kind === 'bulk' ? await changeInBulk(space, mutation) : await changeResource(space, mutation)) };
  } catch (error) {
    if (isShared || !(error instanceof OverBudgetError)) throw error;
    await space.rollBack();
    return { ...outcome, error: error.details };
  }
}

/** A Bulk and a recomputation have no resource: the outcome has their own ID. */
const emptyOutcome = (mutation: Mutation): Outcome => ({
  mutationId: mutation.id,
  resourceId: 'resourceId' in mutation ? mutation.resourceId : mutation.id,
});

export function groupByDirectory<T extends { directoryId: string }>(mutations: T[]): Map<string, T[]> {
  const byDirectory = new Map<string, T[]>();
  for (const mutation of mutations) {
    const own = byDirectory.get(mutation.directoryId);
    if (own) own.push(mutation);
    else byDirectory.set(mutation.directoryId, [mutation]);
  }
  return byDirectory;
}
