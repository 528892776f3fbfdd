import type { ChangeError } from './changes/change-errors.ts';

/** What one directory contains, or may contain. */
export interface DirectoryUsage {
  users: number;
  groups: number;
  /** The members of all groups together, pending members included. */
  memberships: number;
  /** All users and groups as JSON. */
  resourceBytes: number;
}

/** The limits of one directory. */
export interface Quotas extends DirectoryUsage {
  /** The members of one group, pending members included. */
  groupMembers: number;
  /** Groups that one user or group is a direct member of. */
  groupsPerMember: number;
  /** Events that are not delivered yet. Without a webhook: events that were not fetched yet. */
  undeliveredBytes: number;
  /** Separate limits of the same size for delivered events, the delivery log and the outcomes of changes. */
  historyBytes: number;
  /** What a sync run has read of the provider and not compared yet. */
  stagedBytes: number;
  /** Running or queued replays. */
  replays: number;
  /** Concurrent searches without an index, per process. */
  searches: number;
}
export type Quota = keyof Quotas;
/** Their use is counted only in a directory that is not large. */
export type CostlyQuota = 'groupMembers' | 'groupsPerMember';

/** Far above the size of real directories: they stop a runaway provider, not a customer. */
export const defaultQuotas: Quotas = {
  users: 500_000,
  groups: 50_000,
  groupMembers: 100_000,
  groupsPerMember: 5_000,
  memberships: 5_000_000,
  resourceBytes: 4_294_967_296,
  undeliveredBytes: 1_073_741_824,
  historyBytes: 1_073_741_824,
  stagedBytes: 4_294_967_296,
  replays: 20,
  searches: 1,
};

/** Each quota's setting, its field in the JSON API, and its name in a sentence, plural and singular. */
export const quotaNames: Record<Quota, { setting: string; field: string; text: string; one?: string }> = {
  users: { setting: 'MAX_USERS_PER_DIRECTORY', field: 'users', text: 'users', one: 'user' },
  groups: { setting: 'MAX_GROUPS_PER_DIRECTORY', field: 'groups', text: 'groups', one: 'group' },
  groupMembers: { setting: 'MAX_MEMBERS_PER_GROUP', field: 'group_members', text: 'members in a group', one: 'member in a group' },
  groupsPerMember: {
    setting: 'MAX_GROUPS_PER_MEMBER',
    field: 'groups_per_member',
    text: 'groups with the same member',
    one: 'group with the same member',
  },
  memberships: { setting: 'MAX_MEMBERSHIPS_PER_DIRECTORY', field: 'memberships', text: 'memberships in all groups together' },
  resourceBytes: { setting: 'MAX_RESOURCE_BYTES_PER_DIRECTORY', field: 'resource_bytes', text: 'bytes of users and groups' },
  undeliveredBytes: {
    setting: 'MAX_UNDELIVERED_BYTES_PER_DIRECTORY',
    field: 'undelivered_bytes',
    text: 'bytes of undelivered events',
  },
  historyBytes: { setting: 'MAX_HISTORY_BYTES_PER_DIRECTORY', field: 'history_bytes', text: 'bytes of history' },
  stagedBytes: { setting: 'MAX_STAGED_BYTES_PER_DIRECTORY', field: 'staged_bytes', text: 'bytes staged by a sync' },
  replays: {
    setting: 'MAX_REPLAYS_PER_DIRECTORY',
    field: 'replays',
    text: 'replays that are running or queued',
    one: 'replay that is running or queued',
  },
  searches: { setting: 'SEARCHES_PER_DIRECTORY', field: 'searches', text: 'concurrent searches', one: 'concurrent search' },
};

/** The deployment's limits, overridden by the directory's own. */
export interface DirectoryQuotas {
  limits: Quotas;
  own: Partial<Quotas>;
}

export const limitOf = ({ limits, own }: DirectoryQuotas, quota: Quota): number => own[quota] ?? limits[quota];

/** The limit, and where it is set. */
export function describeLimit(quotas: DirectoryQuotas, quota: Quota): string {
  const { setting, field, text, one = text } = quotaNames[quota];
  const limit = limitOf(quotas, quota);
  return `at most ${limit} ${limit === 1 ? one : text} (${quotas.own[quota] === undefined ? setting : `quotas.${field} of this directory`})`;
}

export const quotaReached = (quotas: DirectoryQuotas, quota: Quota): ChangeError => ({
  code: 'quota_reached',
  detail: `The directory may have ${describeLimit(quotas, quota)}. Remove some, or ask the operator of this service for a higher limit.`,
  quota: quotaNames[quota].field,
});

export const backlogFull = (quotas: DirectoryQuotas): ChangeError => ({
  code: 'backlog_full',
  detail: `The directory may have ${describeLimit(quotas, 'undeliveredBytes')}, and its webhook has not accepted them yet. Nothing was changed; try again later.`,
  quota: quotaNames.undeliveredBytes.field,
});
