import { defaultQuotas } from '../directory/quotas.ts';
import { positive } from './fields.ts';

/** Limits per directory. */
export const quotaSettings = {
  MAX_USERS_PER_DIRECTORY: positive
    .default(defaultQuotas.users)
    .describe('Maximum users per directory; a request that exceeds it gets 403.'),
  MAX_GROUPS_PER_DIRECTORY: positive
    .default(defaultQuotas.groups)
    .describe('Maximum groups per directory; a request that exceeds it gets 403.'),
  MAX_MEMBERS_PER_GROUP: positive.default(defaultQuotas.groupMembers).describe('Maximum members of one group, including pending members.'),
  MAX_GROUPS_PER_MEMBER: positive
    .default(defaultQuotas.groupsPerMember)
    .describe('Maximum groups that one user or group can be a direct member of; pending members count once they arrive.'),
  MAX_MEMBERSHIPS_PER_DIRECTORY: positive
    .default(defaultQuotas.memberships)
    .describe('Maximum memberships in all groups of one directory.'),
  MAX_RESOURCE_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.resourceBytes)
    .describe('Maximum total bytes of the users and groups of one directory, as JSON.'),
  MAX_UNDELIVERED_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.undeliveredBytes)
    .describe(
      'Maximum bytes of undelivered events per directory; beyond it, changes get 503 with Retry-After. Without a webhook, the oldest events are dropped.',
    ),
  MAX_HISTORY_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.historyBytes)
    .describe(
      'Maximum bytes of delivered events kept per directory, and again of its delivery log and of the outcomes of its changes; the oldest are deleted each minute.',
    ),
  MAX_STAGED_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.stagedBytes)
    .describe(
      'Maximum bytes of users, groups and members that a sync of one directory stages; beyond it, the sync fails and changes nothing.',
    ),
  MAX_REPLAYS_PER_DIRECTORY: positive
    .default(defaultQuotas.replays)
    .describe('Maximum running and queued replays per directory; further ones get 429 with Retry-After.'),
  EVENT_WAITS_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(100)
    .describe(
      'Maximum long-polling event requests per process for one directory, or for one tenant and product; further ones get 429 with Retry-After.',
    ),
};
