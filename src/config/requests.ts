import { defaultBudgetLimits } from '../scim/budget.ts';
import { positive } from './fields.ts';

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
      'Maximum bytes of resources and events that one SCIM request may read or write; more get 413. All large requests of a process together may use twice as many.',
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
