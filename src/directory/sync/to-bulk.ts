import { createHash } from 'node:crypto';
import { newId } from '../../ids.ts';
import type { Bulk, Change, Mutation, Outcome, Result } from '../changes/mutation.ts';
import type { AppliedBatch } from './ports.ts';
import { noCounts, type PlannedChange, type SyncCounts, type SyncFailure } from './run.ts';

interface Batch {
  directoryId: string;
  runId: string;
  pass: number;
  changes: PlannedChange[];
}

/** One change of one resource, and the differences it applies: of members, all those of a group. */
interface Piece {
  change: Change | undefined;
  made: PlannedChange[];
  /** Set if it is not tried. */
  error?: string;
}

/** A batch of differences as one mutation, and a function that reads its outcome. The same batch is always the same mutation. */
export function toBulk({ directoryId, runId, pass, changes }: Batch): { bulk: Mutation & Bulk; read(outcome: Outcome): AppliedBatch } {
  const pieces = toPieces(changes);
  const operations = pieces.flatMap(({ change }, index) => (change ? [{ index, dependsOn: [], change }] : []));
  return {
    bulk: { kind: 'bulk', id: idOf(`${runId}/${pass}/${changes[0]!.place}`), directoryId, operations, deferUniqueness: true },
    read(outcome) {
      const results = new Map((outcome.results ?? []).map((result) => [result.index, result]));
      const counts = noCounts();
      const failures: SyncFailure[] = [];
      pieces.forEach(({ change, made, error: known = groupMissing }, index) => {
        const error = change ? failureOf(results.get(index)) : known;
        if (error === undefined) for (const difference of made) count(counts, difference);
        else failures.push(...made.map(({ externalId }) => ({ externalId, reason: error })));
      });
      return { pass, upToPlace: changes.at(-1)!.place, counts, failures };
    },
  };
}

const groupMissing = 'Its group does not exist.';

function toPieces(changes: PlannedChange[]): Piece[] {
  const pieces: Piece[] = [];
  const ofGroups = new Map<string, Piece>();
  for (const difference of changes) {
    if (difference.kind !== 'member') {
      pieces.push({ change: toChange(difference), made: [difference] });
      continue;
    }
    if (difference.externalId === difference.groupExternalId) {
      pieces.push({ change: undefined, made: [difference], error: 'A group cannot be a member of itself.' });
      continue;
    }
    const known = ofGroups.get(difference.groupExternalId!);
    if (known) known.made.push(difference);
    else {
      const piece: Piece = { change: undefined, made: [difference] };
      ofGroups.set(difference.groupExternalId!, piece);
      pieces.push(piece);
    }
  }
  for (const piece of ofGroups.values()) piece.change = toMemberChange(piece.made);
  return pieces;
}

function toChange({ kind, operation, resourceId = newId(), resource = {} }: PlannedChange): Change {
  if (kind === 'user') {
    if (operation === 'create') return { kind: 'createUser', resourceId, resource };
    if (operation === 'update') return { kind: 'replaceUser', resourceId, resource };
    return { kind: 'deleteUser', resourceId };
  }
  if (operation === 'create') return { kind: 'createGroup', resourceId, resource, members: [], allowDuplicateName: true };
  if (operation === 'update') return { kind: 'replaceGroup', resourceId, resource };
  return { kind: 'deleteGroup', resourceId };
}

/** A batch has either additions or removals. */
function toMemberChange(made: PlannedChange[]): Change | undefined {
  const [{ groupId, operation }] = made as [PlannedChange];
  if (groupId === undefined) return undefined;
  const values = made.map(({ externalId }) => externalId);
  const members = values.map((value) => ({ value }));
  return {
    kind: 'patchGroup',
    resourceId: groupId,
    operations: [],
    members: [operation === 'add' ? { kind: 'add', members } : { kind: 'remove', values }],
  };
}

/** A deletion of something that no longer exists is no failure. */
function failureOf(result: Result | undefined): string | undefined {
  if (!result) return 'It was not tried.';
  if (!result.error || result.error.status === 404) return undefined;
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
