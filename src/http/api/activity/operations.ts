import { z } from 'zod';
import { type HourOfActivity, activityHours } from '../../../directory/activity/activity.ts';
import { defineOperation, directoryParams } from '../define-operation.ts';
import { count, field, timeOf } from '../schema-fields.ts';

const hour = z
  .strictObject({
    starts_at: timeOf('When the hour begins.'),
    pushes: field(
      count,
      'Requests of the identity provider. They are counted in the background, every two seconds: a crash loses what is not counted yet, and a connection to Postgres that breaks may count some twice.',
      12,
    ),
    rejected_pushes: field(count, 'Those of them that got an error.', 1),
    events: field(count, 'Events.', 9),
    failed_attempts: field(count, 'Attempts of deliveries that failed.', 2),
  })
  .meta({ id: 'HourOfActivity', description: 'What happened to a directory within an hour.' });

export const readActivity = defineOperation({
  id: 'directories.activity',
  method: 'get',
  path: '/api/v1/directory-sync/{directoryId}/activity',
  tag: 'Directories',
  auth: 'apiKey',
  scope: 'directories:read',
  params: directoryParams,
  title: 'Count what happened in the last hours',
  description: `Counts pushes, events and failures of each of the last ${activityHours} hours, oldest first. The last one is not over.`,
  responses: {
    200: {
      description: 'The counts.',
      data: z.strictObject({ hours: z.array(hour).meta({ description: `The ${activityHours} hours.` }) }),
    },
  },
  handler: async ({ input: { params }, deps }) => ({ hours: (await deps.directories.activity(params.directoryId)).map(present) }),
});

const present = (one: HourOfActivity): z.output<typeof hour> => ({
  starts_at: one.startsAt.toISOString(),
  pushes: one.pushes,
  rejected_pushes: one.rejectedPushes,
  events: one.events,
  failed_attempts: one.failedAttempts,
});
