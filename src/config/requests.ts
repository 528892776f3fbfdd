import { defaultBudgetLimits } from '../scim/budget.ts';
import { positive } from './fields.ts';

/** What one request may cost, and how changes wait for their turn. */
export const requestSettings = {
  MAX_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(10_485_760)
    .describe('Most bytes in the body of a SCIM Bulk request; more gets 413.'),
  MAX_RESOURCE_BODY_BYTES: positive
    .max(52_428_800, 'at most 52428800')
    .default(6_291_456)
    .describe('Most bytes in the body of a SCIM request for one group, members included; more gets 413.'),
  MAX_BODY_VALUES: positive
    .max(2_000_000, 'at most 2000000')
    .default(300_000)
    .describe('Most JSON values in the body of a SCIM request; more gets 413.'),
  MAX_RESPONSES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Most bytes of users, groups, events and deliveries that one process loads at once for responses; half of it for one directory. Then 503.',
    ),
  MAX_BODIES_BYTES: positive
    .default(33_554_432)
    .describe(
      'Most bytes of memory that request bodies of more than 32 KiB take in one process at once, 64 for each JSON value; one directory half of what others leave. More gets 503 and Retry-After.',
    ),
  MAX_MUTATION_STEPS: positive
    .default(defaultBudgetLimits.maxSteps)
    .describe(
      'Most steps of work (about 0.2 µs each) that one SCIM request may cause, all operations of a Bulk request together; more gets 413.',
    ),
  MAX_MUTATION_BYTES: positive
    .default(defaultBudgetLimits.maxBytes)
    .describe(
      'Most bytes of resources and events that one SCIM request may read, or write; more gets 413. All large requests of a process together: twice as many.',
    ),
  SCIM_TIMEOUT_MS: positive
    .max(50_000, 'at most 50000')
    .default(8_000)
    .describe(
      'Longest wait of an identity provider for a change to be committed; then it gets 503 and Retry-After, and the change may still happen.',
    ),
  INTAKE_LANES: positive
    .max(64, 'at most 64')
    .default(1)
    .describe(
      'Most mutation workflows that one API process keeps in flight, besides one for a change of more than 64 KiB; what waits shares the next one.',
    ),
  INTAKE_WAITING_PER_DIRECTORY: positive
    .default(1_000)
    .describe('Most changes of one directory that wait for their turn in one API process; one more gets 429 and Retry-After.'),
  INTAKE_WAITING_BYTES_PER_DIRECTORY: positive
    .default(16_777_216)
    .describe(
      'Most bytes of memory that these changes may take together: their JSON, or 64 for each JSON value if that is more. A change that waits alone may take more.',
    ),
  CHANGES_PER_HOUR_PER_DIRECTORY: positive
    .default(200_000)
    .describe(
      'Most changes of one directory that one API process hands to Temporal within an hour; one more gets 429 and Retry-After. A Bulk request is one change.',
    ),
};
