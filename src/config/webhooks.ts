import { z } from 'zod';
import { parseDuration } from '../shared/parse-duration.ts';
import { address, list, positive, text } from './fields.ts';

/** A first 0 stands for the first attempt, which is never waited for. */
const retrySchedule = list
  .transform((items) => (Number(items[0]) === 0 ? items.slice(1) : items))
  .refine((items) => items.length > 0 && items.every((item) => /^\d+(\.\d+)?$/.test(item) && Number(item) > 0 && Number(item) <= 604_800), {
    error: 'seconds separated by commas, like 0,5,300,1800',
  })
  .transform((items) => items.map(Number));

/** Webhooks of directories and of the operator. */
export const webhookSettings = {
  MAX_DELIVERIES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Most bytes of events and webhook bodies that one process holds at once, all directories together; small events of up to 32 KiB for each directory are not counted. Others wait in turn.',
    ),
  WEBHOOK_TIMEOUT_MS: positive
    .min(1000, 'at least 1000')
    .max(30_000, 'at most 30000')
    .default(15_000)
    .describe('Longest time a webhook exchange may take, from connecting to the last byte of the answer.'),
  WEBHOOK_RETRY_SCHEDULE: retrySchedule
    .default([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    .describe(
      'Seconds to wait after each failed attempt, by comma; a 0 in front stands for the first attempt. After the last one delivery is disabled.',
    ),
  DSYNC_WEBHOOK_BATCH_SIZE: positive
    .max(1_000, 'at most 1000')
    .optional()
    .describe(
      'Most events in one webhook. Set, events wait and go out as arrays when they are asked for; unset, one by one as they happen.',
    ),
  DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: positive
    .max(604_800, 'at most 604800')
    .optional()
    .describe('Seconds between deliveries in batches; without it POST /api/v1/dsync/cron/process-events asks for each.'),
  DSYNC_WEBHOOK_LOGS_TTL: z
    .string()
    .transform(
      (value, context) =>
        parseDuration(value) ?? (context.addIssue('a duration like 30d, 720h or 1d12h; empty keeps them forever'), z.NEVER),
    )
    .prefault('7d')
    .describe('How long delivered events and what was said when they were sent are kept, like 30d or 720h; empty keeps them for ever.'),
  WEBHOOK_URL: address(/^https?$/, 'an http(s) address')
    .refine(
      (url) => !URL.canParse(url) || `${new URL(url).username}${new URL(url).password}` === '',
      'an address without a user name or password in it',
    )
    .optional()
    .describe('Where the operator of the service is told of directories: created, activated, deactivated, deleted, delivery disabled.'),
  WEBHOOK_SECRET: text.optional().describe('Secret that signs what goes to WEBHOOK_URL.'),
  WEBHOOK_ALLOWED_NETWORKS: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8, separated by commas')))
    .optional()
    .describe('Private networks, by comma, that webhooks may be sent to; `npm start` allows loopback without it.'),
};
