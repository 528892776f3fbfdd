import type { Removals, SyncPlan, SyncStore } from './ports.ts';
import type { SyncEnd, SyncErrorCode } from './run.ts';

/** A run that would remove more than both stops, and waits for a person. */
export interface RemovalLimits {
  /** 0 to 1, of what is stored. */
  share: number;
  count: number;
}

interface ObjectionDeps {
  store: Pick<SyncStore, 'look' | 'plan'>;
  removals: RemovalLimits;
}

/** Compares what the provider said with what is stored, and says why nothing of it should be believed, if so. */
export async function findObjection(
  { store, removals }: ObjectionDeps,
  directoryId: string,
  runId: string,
): Promise<SyncEnd | 'stopped' | undefined> {
  const { usersListed, isOfDomain } = await store.look(directoryId, runId);
  // Whoever authorised it is a user.
  if (usersListed === 0)
    return failed(
      'provider_answer',
      'The provider listed no users at all, which cannot be. Nothing was changed; look at its state, and sync again.',
    );
  if (!isOfDomain)
    return failed(
      'wrong_workspace',
      "None of the users has an address of the directory's google_domain. Nothing was changed; authorise as an administrator of that domain, or correct google_domain.",
    );
  const plan = await store.plan(directoryId, runId, 1);
  if (plan === 'stopped') return plan;
  const tooMany = kinds.filter((kind) => isTooMuch(plan, kind, removals));
  if (tooMany.length === 0) return undefined;
  const list = tooMany.map((kind) => `${plan.removed[kind]} of ${plan.stored[kind]} ${names[kind]}`).join(', ');
  return {
    state: 'needs_confirmation',
    error: {
      code: 'needs_confirmation',
      message: `This would remove ${list}. Nothing was changed. If that is right, confirm it: POST /api/v1/directory-sync/${directoryId}/sync?confirm=${runId}`,
    },
  };
}

const kinds = ['users', 'groups', 'members'] as const;
const names = { users: 'users', groups: 'groups', members: 'memberships' };

function isTooMuch({ removed, stored, confirmed }: SyncPlan, kind: keyof Removals, { share, count }: RemovalLimits): boolean {
  const limit = Math.max(count, stored[kind] * share, confirmed?.[kind] ?? 0);
  return removed[kind] > limit;
}

const failed = (code: SyncErrorCode, message: string): SyncEnd => ({ state: 'failed', error: { code, message } });
