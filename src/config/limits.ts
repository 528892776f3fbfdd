import { defaultBudgetLimits } from '../scim/budget.ts';
import { list, positive, text } from './fields.ts';
import { z } from 'zod';
import { environments, planNames } from '../limits/plans.ts';
import { defaultQuotas } from '../directory/quotas.ts';

/** The cost of one request, and the queues for changes. */
export const requestSettings = {
  MAX_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(10_485_760)
    .describe('Maximum bytes in the body of a SCIM Bulk request; larger ones get 413.'),
  MAX_RESOURCE_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(6_291_456)
    .describe('Maximum bytes in the body of a SCIM request for one group, including members; larger ones get 413.'),
  MAX_BODY_VALUES: positive
    .max(2_000_000, 'at most 2000000')
    .default(300_000)
    .describe('Maximum JSON values in the body of a SCIM request; larger ones get 413.'),
  MAX_RESPONSES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Maximum bytes of users, groups, events and deliveries that one process holds for responses at the same time; one directory may use half. Beyond it, requests get 503.',
    ),
  MAX_BODIES_BYTES: positive
    .default(33_554_432)
    .describe(
      'Maximum bytes of memory for request bodies over 32 KiB in one process, at 64 per JSON value; one directory may use half of what is free. Beyond it, requests get 503 with Retry-After.',
    ),
  MAX_MUTATION_STEPS: positive
    .default(defaultBudgetLimits.maxSteps)
    .describe('Maximum steps of work (about 0.2 µs each) per SCIM request, all operations of a Bulk request together; more get 413.'),
  MAX_MUTATION_BYTES: positive
    .default(defaultBudgetLimits.maxBytes)
    .describe(
      'Maximum bytes of resources and events that one SCIM request may read or write, and an eighth of what it may copy into membership events; more get 413. All large requests of a process together may use twice as many.',
    ),
  SCIM_TIMEOUT_MS: positive
    .max(50_000, 'at most 50000')
    .default(8_000)
    .describe(
      'Maximum time in milliseconds that an identity provider waits for a change to be committed; after that it gets 503 with Retry-After, and the change may still be applied.',
    ),
  INTAKE_LANES: positive
    .max(64, 'at most 64')
    .default(1)
    .describe(
      'Maximum mutation workflows in flight per API process, plus one for a change over 64 KiB; waiting changes share the next workflow.',
    ),
  INTAKE_WAITING_PER_DIRECTORY: positive
    .default(1_000)
    .describe('Maximum queued changes of one directory per API process; further ones get 429 with Retry-After.'),
  INTAKE_WAITING_BYTES_PER_DIRECTORY: positive
    .default(16_777_216)
    .describe(
      'Maximum bytes of memory for the queued changes of one directory: the size of their JSON, or 64 per JSON value if that is more. A single queued change may exceed it.',
    ),
  CHANGES_PER_HOUR_PER_DIRECTORY: positive
    .default(200_000)
    .describe(
      'Maximum changes of one directory that one API process submits to Temporal per hour; further ones get 429 with Retry-After. A Bulk request counts as one change, and each 64 KiB as another one.',
    ),
};

/** Rate limits and trusted proxies. */
export const limitSettings = {
  LIMITS_PLAN: z
    .enum(planNames, `one of ${planNames.join(', ')}`)
    .optional()
    .describe(
      'Plan whose rate limits apply to this deployment: developer, production, growth or enterprise; if unset, rate limits are off.',
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
      'Failed authentications per minute from one address (IPv6: one /64) that get 401; further ones get 429. Without LIMITS_PLAN, this limit never rejects valid credentials.',
    ),
  AUTH_FAILURES_PER_DIRECTORY: positive
    .default(300)
    .describe(
      'Failed authentications per minute for one directory that get 401; further ones get 429. This limit never rejects its valid secret.',
    ),
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
