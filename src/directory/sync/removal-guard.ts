import type { Removals, SyncPlan } from './ports.ts';
import type { SyncEnd } from './sync-run.ts';

/** A run that would remove more than both stops and waits for a person. */
export interface RemovalLimits {
  /** Share of what is stored, from 0 to 1. */
  share: number;
  count: number;
}

type Kind = keyof Removals;
const kinds: Kind[] = ['users', 'groups', 'members'];
const names = { users: 'users', groups: 'groups', members: 'memberships' };
const none: RemovalLimits = { share: 0, count: 0 };

interface Guard {
  limits: RemovalLimits;
  /** Nothing of a kind that is not selected may be removed without a confirmation. */
  isSelected: Record<Kind, boolean>;
  runId: string;
}

/** The removal guard: ends a run that would remove too much. */
export function guardRemovals(plan: SyncPlan, { limits, isSelected, runId }: Guard): SyncEnd | undefined {
  const isTooMuch = (kind: Kind) => exceeds(plan, kind, isSelected[kind] ? limits : none);
  return kinds.some(isTooMuch) ? needsConfirmation(plan, runId) : undefined;
}

const exceeds = ({ removed, stored, confirmed }: SyncPlan, kind: Kind, { share, count }: RemovalLimits): boolean =>
  removed[kind] > Math.max(count, stored[kind] * share, confirmed?.[kind] ?? 0);

function needsConfirmation({ removed, stored, confirmed }: SyncPlan, runId: string): SyncEnd {
  const list = kinds.filter((kind) => removed[kind] > 0).map((kind) => `${removed[kind]} of ${stored[kind]} ${names[kind]}`);
  const known = kinds.filter((kind) => confirmed && confirmed[kind] > 0).map((kind) => `${confirmed![kind]} ${names[kind]}`);
  const before = known.length === 0 ? '' : ` (${known.join(', ')} were confirmed)`;
  return {
    state: 'needs_confirmation',
    error: {
      code: 'needs_confirmation',
      message: `This would remove ${list.join(', ')}${before}. Nothing was changed. If this is intended, start a sync with confirm set to ${runId}.`,
    },
  };
}
