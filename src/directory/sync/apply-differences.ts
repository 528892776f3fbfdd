import { AppError } from '../../errors.ts';
import { unlimitedBudget } from '../../scim/budget.ts';
import { type Applied, type ApplyToDirectoryDeps, createApplyToDirectory } from '../changes/apply-to-directory.ts';
import type { AppliedBatch, SyncStore } from './ports.ts';
import { type PlannedChange, type SyncCounts, type SyncFailure, type SyncPosition, noCounts } from './sync-run.ts';
import type { StepRun } from './stage-pages.ts';
import { createHash } from 'node:crypto';
import { newId } from '../../ids.ts';
import { type Bulk, type Change, codeOf, type Mutation, type Outcome, type Result } from '../changes/mutation.ts';

export interface ApplyDifferencesDeps extends Omit<ApplyToDirectoryDeps, 'budget'> {
  store: SyncStore;
  /** Runs before a batch is counted as applied, so after a crash it may run again. The next batch waits for it. */
  onApplied?: ((directoryId: string, applied: Applied) => Promise<void>) | undefined;
}

/** A change that failed may succeed later: another user may have had its name until then. */
const maxPasses = 3;

/** Applies the differences in batches, as pushed requests would be. Each batch is one mutation, and is applied once. */
export async function applyDifferences(
  { store, changes, onQuotaReached, onApplied, log }: ApplyDifferencesDeps,
  directoryId: string,
  runId: string,
  { beat, signal, budgetMs, now = Date.now }: StepRun,
): Promise<SyncPosition | 'ended'> {
  const applyToDirectory = createApplyToDirectory({ changes, budget: unlimitedBudget, onQuotaReached, log });
  const until = now() + budgetMs;
  const here: SyncPosition = { phase: 'applying' };
  let hasApplied = false;
  while (now() < until && !signal.aborted) {
    const next = await store.nextChanges(directoryId, runId);
    // The next step reads why.
    if (next === 'stopped') return here;
    if (next.changes.length === 0) {
      if (next.failed > 0 && next.pass < maxPasses) {
        if ((await store.plan(directoryId, runId, next.pass + 1)) === 'stopped') return 'ended';
        continue;
      }
      await store.end(directoryId, runId, { state: 'succeeded' });
      return 'ended';
    }
    const { bulk, toAppliedBatch } = toBulk({ directoryId, runId, ...next });
    const applied = await applyToDirectory(directoryId, [bulk], { expires: false, reason: 'sync' });
    const outcome = applied.outcomes[0]!;
    const code = codeOf(outcome);
    // Nothing was stored. The step fails, so that the same batch is tried again.
    if (code === 'internal') throw new AppError('internal', outcome.error!.detail);
    // Nothing was stored, and the same batch is tried again once there is room. Delays grow only while nothing is applied.
    if (code === 'backlog_full') {
      if (hasApplied) return here;
      throw new AppError('unavailable', outcome.error!.detail);
    }
    hasApplied = true;
    await onApplied?.(directoryId, applied);
    await store.conclude(directoryId, runId, toAppliedBatch(outcome));
    beat(here);
  }
  return here;
}

interface Batch {
  directoryId: string;
  runId: string;
  pass: number;
  changes: PlannedChange[];
}

/** One change of one resource, and the differences that it applies. All member differences of a group are one change. */
interface BatchPart {
  change: Change | undefined;
  differences: PlannedChange[];
  /** Set if the change cannot be tried. */
  error?: string;
}

/** A batch of differences as one mutation, and a function that converts its outcome. The same batch is always the same mutation; one with other limits is another one. */
export function toBulk({ directoryId, runId, pass, changes }: Batch): {
  bulk: Mutation & Bulk;
  toAppliedBatch(outcome: Outcome): AppliedBatch;
} {
  const parts = toParts(changes);
  const operations = parts.flatMap(({ change }, index) => (change ? [{ index, dependsOn: [], change }] : []));
  return {
    bulk: {
      kind: 'bulk',
      id: idOf(`${runId}/${pass}/${changes[0]!.place}-${changes.at(-1)!.place}`),
      directoryId,
      operations,
      deferUniqueness: true,
    },
    toAppliedBatch(outcome) {
      const results = new Map((outcome.results ?? []).map((result) => [result.index, result]));
      const counts = noCounts();
      const failures: SyncFailure[] = [];
      parts.forEach(({ change, differences, error: known = groupNotFound }, index) => {
        const error = change ? failureOf(results.get(index)) : known;
        if (error === undefined) for (const difference of differences) count(counts, difference);
        else failures.push(...differences.map(({ externalId }) => ({ externalId, reason: error })));
      });
      return { pass, upToPlace: changes.at(-1)!.place, counts, failures };
    },
  };
}

const groupNotFound = 'Its group does not exist.';

function toParts(changes: PlannedChange[]): BatchPart[] {
  const parts: BatchPart[] = [];
  const byGroup = new Map<string, BatchPart>();
  for (const difference of changes) {
    if (difference.kind !== 'member') {
      parts.push({ change: toChange(difference), differences: [difference] });
      continue;
    }
    if (difference.externalId === difference.groupExternalId) {
      parts.push({ change: undefined, differences: [difference], error: 'A group cannot be a member of itself.' });
      continue;
    }
    const known = byGroup.get(difference.groupExternalId!);
    if (known) known.differences.push(difference);
    else {
      const part: BatchPart = { change: undefined, differences: [difference] };
      byGroup.set(difference.groupExternalId!, part);
      parts.push(part);
    }
  }
  for (const part of byGroup.values()) part.change = toMemberChange(part.differences);
  return parts;
}

function toChange({ kind, operation, resourceId = newId(), resource = {}, pushed }: PlannedChange): Change {
  const documents = { resource, ...(pushed && { pushed }) };
  if (kind === 'user') {
    if (operation === 'create') return { kind: 'createUser', resourceId, ...documents };
    if (operation === 'update') return { kind: 'replaceUser', resourceId, ...documents };
    return { kind: 'deleteUser', resourceId };
  }
  if (operation === 'create') return { kind: 'createGroup', resourceId, ...documents, members: [], allowDuplicateName: true };
  if (operation === 'update') return { kind: 'replaceGroup', resourceId, ...documents };
  return { kind: 'deleteGroup', resourceId };
}

/** A batch has either additions or removals. */
function toMemberChange(differences: PlannedChange[]): Change | undefined {
  const [{ groupId, operation }] = differences as [PlannedChange];
  if (groupId === undefined) return undefined;
  const values = differences.map(({ externalId }) => externalId);
  const members = values.map((value) => ({ value }));
  return {
    kind: 'patchGroup',
    resourceId: groupId,
    operations: [],
    pushed: [],
    members: [operation === 'add' ? { kind: 'add', members } : { kind: 'remove', values }],
  };
}

/** A deletion of something that no longer exists is no failure. */
function failureOf(result: Result | undefined): string | undefined {
  if (!result) return 'It was not tried.';
  if (!result.error || codeOf(result) === 'not_found' || codeOf(result) === 'directory_deleted') return undefined;
  return result.error.detail;
}

function count(counts: SyncCounts, { kind, operation }: PlannedChange): void {
  if (kind === 'member') counts.members[operation === 'add' ? 'added' : 'removed'] += 1;
  else
    counts[kind === 'user' ? 'users' : 'groups'][({ create: 'created', update: 'updated' } as const)[operation as 'create'] ?? 'deleted'] +=
      1;
}

const idOf = (text: string) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
