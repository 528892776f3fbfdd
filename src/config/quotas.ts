import { defaultQuotas } from '../directory/quotas.ts';
import { positive } from './fields.ts';

/** What one directory may hold. */
export const quotaSettings = {
  MAX_USERS_PER_DIRECTORY: positive
    .default(defaultQuotas.users)
    .describe('Most users that one directory may have; a request for more gets 403.'),
  MAX_GROUPS_PER_DIRECTORY: positive.default(defaultQuotas.groups).describe('Most groups that one directory may have.'),
  MAX_MEMBERS_PER_GROUP: positive.default(defaultQuotas.groupMembers).describe('Most members of one group, pending members included.'),
  MAX_GROUPS_PER_MEMBER: positive
    .default(defaultQuotas.groupsPerMember)
    .describe('Most groups that one user or group is a member of; pending members count once they arrive.'),
  MAX_MEMBERSHIPS_PER_DIRECTORY: positive
    .default(defaultQuotas.memberships)
    .describe('Most memberships of all groups of one directory together.'),
  MAX_RESOURCE_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.resourceBytes)
    .describe('Most bytes that the users and groups of one directory may have together, as JSON.'),
  MAX_UNDELIVERED_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.undeliveredBytes)
    .describe(
      'Most bytes of events that one directory may have undelivered; then its changes get 503 and Retry-After. Without a webhook the oldest events are dropped.',
    ),
  MAX_HISTORY_BYTES_PER_DIRECTORY: positive
    .default(defaultQuotas.historyBytes)
    .describe(
      'Most bytes that are kept for one directory of its delivered events, and as many of its delivery log and of the outcomes of its changes; each minute the oldest beyond are dropped.',
    ),
  MAX_REPLAYS_PER_DIRECTORY: positive
    .default(defaultQuotas.replays)
    .describe('Most replays of one directory that are running or queued; one more gets 429 and Retry-After.'),
  EVENT_WAITS_PER_DIRECTORY: positive
    .max(1_000, 'at most 1000')
    .default(100)
    .describe(
      'Most requests that wait for the events of one directory, or of one tenant and product, in one process; one more gets 429 and Retry-After.',
    ),
};
