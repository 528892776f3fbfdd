import { z } from 'zod';
import { environments, planNames } from '../limits/plans.ts';
import { list, positive, text } from './fields.ts';
import { defaultQuotas } from '../directory/quotas.ts';

/** Rate limits and trusted proxies. */
export const limitSettings = {
  LIMITS_PLAN: z
    .enum(planNames, `one of ${planNames.join(', ')}`)
    .optional()
    .describe(
      'Plan whose rate limits apply to this deployment: developer, production, growth or enterprise; if unset, nothing is limited.',
    ),
  LIMITS_ENVIRONMENT: z
    .enum(environments, `one of ${environments.join(', ')}`)
    .default('production')
    .describe('Environment of the plan: production, staging or development.'),
  LIMITS_PROJECTS_FILE: text.optional().describe('JSON file with further projects, each with its own plan.'),
  LIMITS_RULES_FILE: text
    .optional()
    .describe('YAML or JSON file with the limits that apply to every plan; if unset, built-in rules apply.'),
  LIMITS_STORE: z
    .enum(['memory', 'postgres'], 'memory or postgres')
    .default('memory')
    .describe('Where requests are counted: memory (per process) or postgres (across processes).'),
  AUTH_FAILURES_PER_SOURCE: positive
    .default(60)
    .describe(
      'Failed authentications per minute from one address (IPv6: one /64) that get 401; further ones get 429. Valid credentials always pass.',
    ),
  AUTH_FAILURES_PER_DIRECTORY: positive
    .default(300)
    .describe('Failed authentications per minute for one directory that get 401; further ones get 429. Its valid secret always passes.'),
  TRUSTED_PROXIES: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8, separated by commas')))
    .optional()
    .describe('Comma-separated networks of proxies and gateways whose X-Forwarded-… and X-Rollcall-… headers are trusted.'),
};

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
      'Maximum bytes of users, groups and members that syncs of one directory have staged; beyond it, the sync fails and changes nothing.',
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
