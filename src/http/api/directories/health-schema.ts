import { z } from 'zod';
import { reportedStatuses } from '../../../directory/delivery/ports.ts';
import { count, field, id, timeOrNull } from '../field.ts';
import { directorySchema } from './schemas.ts';

const scimSecret = z.strictObject({
  id: id("The secret's ID. The secret itself is not shown."),
  created_at: timeOrNull('When it was created.'),
  expires_at: timeOrNull('When it expires; null: when it is rotated.'),
  last_used_at: timeOrNull('When it was last used, to the minute.'),
});

const lastError = z.strictObject({
  at: field(z.string(), 'When the request arrived.', '2027-11-21T08:43:54.120Z'),
  method: field(z.string(), 'The HTTP method.', 'POST'),
  path: field(z.string(), "The path below the directory's address.", '/Users'),
  status: field(z.int(), 'The status of the response.', 409),
  detail: field(z.string(), 'The `detail` of the error.', 'A user with this userName exists already.'),
});

const sync = z.strictObject({
  run_id: id("The sync run's ID."),
  state: field(z.string(), "The run's state.", 'succeeded'),
  at: timeOrNull('When the run ended; when it started, if it is in progress.'),
  last_success_at: timeOrNull('When a run last succeeded.'),
  error: field(z.string().nullable(), 'Why the run failed.', null),
});

const deliveryHealth = z.strictObject({
  status: field(z.enum(reportedStatuses), 'The delivery state.', 'active'),
  reason: field(z.string().nullable(), 'Why the delivery is paused, disabled or misconfigured.', null),
  backlog: field(count, 'The number of events that are not delivered yet.', 0),
  last_success_at: timeOrNull('When a webhook was last acknowledged.'),
});

const quota = (description: string, used: number, limit: number) =>
  z.strictObject({ used: field(count, 'The current use.', used), limit: field(count, 'The limit.', limit) }).meta({ description });

const quotas = z
  .strictObject({
    users: quota('Users.', 120, 500_000),
    groups: quota('Groups.', 8, 50_000),
    group_members: quota('Members of one group, pending members included. `used` is for the largest group.', 40, 100_000),
    groups_per_member: z
      .strictObject({
        used: field(count.nullable(), 'The highest current use; null in a directory with more than 500,000 memberships.', 6),
        limit: field(count, 'The limit.', 5_000),
      })
      .meta({ description: 'Groups that one user or group is a direct member of.' }),
    memberships: quota('Memberships of all groups together.', 160, 5_000_000),
    resource_bytes: quota('Bytes of all users and groups, as JSON.', 98_304, 4_294_967_296),
    undelivered_bytes: quota('Bytes of undelivered events; without a webhook, of events that wait to be fetched.', 2_048, 1_073_741_824),
    history_bytes: quota(
      'Bytes kept of delivered events, of the delivery log and of the results of changes. `used` is for the largest of the three.',
      40_960,
      1_073_741_824,
    ),
    staged_bytes: quota('Bytes that sync runs have read of the provider and not deleted yet. A `google` directory only.', 0, 4_294_967_296),
    replays: quota('Replays that are running or queued.', 0, 20),
    searches: quota('Searches without an index that run now, in the process that responds.', 0, 1),
    hourly_changes: quota(
      'Changes that the process that responds has accepted within the last hour; each 64 KiB of one count as another one. Missing in library mode.',
      12,
      200_000,
    ).optional(),
  })
  .meta({
    id: 'QuotaUse',
    description:
      "The directory's use of its limits. What would exceed a limit fails with 403. Exceptions: changes beyond `undelivered_bytes` fail with 503; replays, searches and hourly changes fail with 429; beyond `history_bytes` the oldest entries are deleted; beyond `staged_bytes` the sync fails.",
  });

const healthSchema = z
  .strictObject({
    last_push_at: timeOrNull('When the identity provider last made a change.'),
    last_error: lastError.nullable().meta({ description: 'The last request with a valid secret that failed.' }),
    users: field(count, 'The number of users.', 120),
    groups: field(count, 'The number of groups.', 8),
    quotas,
    scim_secrets: z.array(scimSecret).meta({ description: 'The valid SCIM secrets.' }),
    sync: sync.optional().meta({ description: 'The last sync run of a `google` directory. Missing before the first run.' }),
    delivery: deliveryHealth,
  })
  .meta({ id: 'DirectoryHealth', description: 'The health of a directory.' });
export type HealthBody = z.output<typeof healthSchema>;

export const directoryWithHealthSchema = directorySchema
  .extend({ health: healthSchema })
  .meta({ id: 'DirectoryWithHealth', description: 'A directory with its health.' });
