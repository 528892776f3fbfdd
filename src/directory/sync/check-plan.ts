import type { SyncPlan, SyncStore } from './ports.ts';
import { type RemovalLimits, guardRemovals } from './removal-guard.ts';
import { failedEnd, type SyncDirectory, type SyncEnd } from './sync-run.ts';
import { ScimError } from '../../scim/errors.ts';
import { type JsonObject, isObject } from '../../scim/json.ts';
import { checkSize, checkText } from '../../scim/resource/size-limits.ts';
import type { PulledType } from '../directories/directory.ts';
import { type DirectoryProvider, ProviderError } from './provider.ts';
import { type DirectoryQuotas, type Quota, describeLimit, limitOf } from '../quotas.ts';

type Checked = Pick<DirectoryProvider, 'selectedBy' | 'wrongDomain'>;

interface CheckPlanDeps {
  store: Pick<SyncStore, 'beginComparing' | 'plan'>;
  providers: Record<PulledType, Checked>;
  removals: RemovalLimits;
  onDrift?(differences: number): void;
}

/** Compares the staged data with the stored data. Returns an end if the run must not change anything. */
export async function checkPlan(
  { store, providers, removals, onDrift }: CheckPlanDeps,
  { directoryId, type, connection, quotas, mode }: Pick<SyncDirectory, 'directoryId' | 'type' | 'connection' | 'quotas' | 'mode'>,
  runId: string,
): Promise<SyncEnd | 'stopped' | undefined> {
  const { usersListed, seen, hasUserOfDomain } = await store.beginComparing(directoryId, runId);
  const isIncremental = mode === 'changes';
  // A provider has at least one user: the administrator who authorized the directory.
  if (usersListed === 0 && !isIncremental)
    return failedEnd(
      'invalid_provider_response',
      'The provider listed no users at all, which cannot be right. Nothing was changed. Check its status, and sync again.',
    );
  const { wrongDomain } = providers[type];
  if (!hasUserOfDomain && !isIncremental && wrongDomain !== undefined) return failedEnd('wrong_workspace', wrongDomain);
  const plan = await store.plan(directoryId, runId, 1);
  if (plan === 'stopped') return plan;
  if (plan.drift !== undefined) onDrift?.(plan.drift);
  const overQuota = findQuotaExceededByPlan(quotas, plan, providers[type]);
  if (overQuota) return overQuota;
  // A mistyped option selects no users. A list that lacks what an earlier one had may be broken.
  const isSelected = {
    users: isIncremental || seen.users > 0,
    groups: isIncremental || seen.groups > 0 || (connection.groups.length === 0 && !plan.hadLinks),
    members: true,
  };
  return guardRemovals(plan, { limits: removals, isSelected, runId });
}

interface Item {
  externalId: string;
  /** A member has neither. */
  resource?: JsonObject;
  raw?: JsonObject;
}

/** Throws for values that would be rejected in a push. */
export function checkSizes(items: Item[]): void {
  try {
    for (const item of items) checkItem(item);
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    throw new ProviderError('invalid_response', `The provider's response can't be stored: ${error.message}`);
  }
}

function checkItem({ externalId, resource, raw }: Item): void {
  checkText(externalId, 'externalId');
  if (!resource) return;
  for (const name of ['userName', 'displayName']) if (typeof resource[name] === 'string') checkText(resource[name], name);
  const { emails } = resource;
  for (const email of Array.isArray(emails) ? emails : [])
    if (isObject(email) && typeof email['value'] === 'string') checkText(email['value'], 'emails.value');
  checkSize(resource);
  if (raw) checkSize(raw);
}

/** Staged data may name a member twice, so reading stops only well above a limit. */
const stagingMargin = 1.1;

/** Stops reading a provider that lists far more than the directory may hold. */
export function findQuotaExceededByStaging(
  { quotas, usage, seen, stagedBytes }: Pick<SyncDirectory, 'quotas' | 'usage' | 'seen' | 'stagedBytes'>,
  provider: Checked,
): SyncEnd | undefined {
  if (stagedBytes > limitOf(quotas, 'stagedBytes'))
    return toEnd(quotas, 'stagedBytes', `more than ${limitOf(quotas, 'stagedBytes')}`, provider);
  const staged: [Quota, before: number, after: number][] = [
    ['users', usage.users, seen.users],
    ['groups', usage.groups, seen.groups],
    ['memberships', usage.memberships, seen.members],
  ];
  const exceeded = staged.find(([quota, before, after]) => after > Math.max(before, limitOf(quotas, quota)) * stagingMargin);
  return exceeded && toEnd(quotas, exceeded[0], `more than ${exceeded[2]}`, provider);
}

/** Every group has a page, and the smallest usual pages have 50 records. The rest is for users whom the directory's options exclude. */
function maxPagesOf({ quotas, usage }: Pick<SyncDirectory, 'quotas' | 'usage'>): number {
  const of = (quota: 'users' | 'groups' | 'memberships') => Math.max(usage[quota], limitOf(quotas, quota));
  return 100_000 + 2 * of('groups') + Math.ceil((of('users') + of('memberships')) / 50);
}

/** Stops reading a provider whose lists never end although each page is valid. */
export function findEndlessReading(directory: Pick<SyncDirectory, 'quotas' | 'usage' | 'pages'>): SyncEnd | undefined {
  const maxPages = maxPagesOf(directory);
  if (directory.pages <= maxPages) return undefined;
  const message = `The provider returned more than ${maxPages} pages, far more than a directory within its limits needs. Nothing was changed.`;
  return { state: 'failed', error: { code: 'invalid_provider_response', message } };
}

/** A run that would exceed a quota changes nothing: an incomplete directory is worse than an old one. */
function findQuotaExceededByPlan(
  quotas: DirectoryQuotas,
  { stored, counts: { users, groups, members }, largestGroup = 0, mostGroups = 0 }: SyncPlan,
  provider: Checked,
): SyncEnd | undefined {
  const planned: [Quota, before: number, after: number][] = [
    ['users', stored.users, stored.users + users.created - users.deleted],
    ['groups', stored.groups, stored.groups + groups.created - groups.deleted],
    ['memberships', stored.members, stored.members + members.added - members.removed],
    ['groupMembers', 0, largestGroup],
    ['groupsPerMember', 0, mostGroups],
  ];
  const exceeded = planned.find(([quota, before, after]) => after > before && after > limitOf(quotas, quota));
  return exceeded && toEnd(quotas, exceeded[0], String(exceeded[2]), provider);
}

const toEnd = (quotas: DirectoryQuotas, quota: Quota, after: string, { selectedBy }: Checked): SyncEnd => ({
  state: 'failed',
  error: {
    code: 'quota_exceeded',
    message: `The directory may have ${describeLimit(quotas, quota)}, and would have ${after}. Nothing was changed. Select fewer with ${selectedBy}, or ask the operator of this service for a higher limit.`,
  },
});
