import { z } from 'zod';
import { address, flag, keptFor, list, positive, text } from './fields.ts';

/** A leading 0 means the first attempt, which has no delay. */
const retrySchedule = list
  .transform((items) => (Number(items[0]) === 0 ? items.slice(1) : items))
  .refine((items) => items.length > 0 && items.every((item) => /^\d+(\.\d+)?$/.test(item) && Number(item) > 0 && Number(item) <= 604_800), {
    error: 'seconds separated by commas, like 0,5,300,1800',
  })
  .transform((items) => items.map(Number));

export const webhookSettings = {
  MAX_DELIVERIES_BYTES: positive
    .min(1_048_576, 'at least 1048576')
    .default(67_108_864)
    .describe(
      'Maximum bytes of events and webhook bodies in flight per process; up to 32 KiB of small events per directory are not counted. Further deliveries wait.',
    ),
  WEBHOOK_TIMEOUT_MS: positive
    .min(1000, 'at least 1000')
    .max(30_000, 'at most 30000')
    .default(15_000)
    .describe('Maximum time in milliseconds for one webhook attempt, from connecting to the last byte of the response.'),
  WEBHOOK_RETRY_SCHEDULE: retrySchedule
    .default([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    .describe(
      'Comma-separated seconds to wait after each failed attempt; a leading 0 means the first attempt. After the last attempt, delivery is disabled.',
    ),
  WEBHOOK_LEGACY_SIGNATURES: flag
    .default(true)
    .describe('Whether webhooks also carry the signatures of Ory Polis; webhook_legacy_signatures of a directory overrides it.'),
  DSYNC_WEBHOOK_BATCH_SIZE: positive
    .max(1_000, 'at most 1000')
    .optional()
    .describe('Maximum events per webhook. If set, events are delivered in arrays on request; if unset, one at a time as they happen.'),
  DSYNC_WEBHOOK_BATCH_CRON_INTERVAL: positive
    .max(604_800, 'at most 604800')
    .optional()
    .describe('Seconds between batch deliveries; if unset, POST /api/v1/directory-sync/cron/process-events starts each one.'),
  DSYNC_WEBHOOK_LOGS_TTL: keptFor
    .prefault('7d')
    .describe('How long delivered events and the delivery log are kept, such as 30d or 720h; empty keeps them forever.'),
  WEBHOOK_URL: address(/^https?$/, 'an http(s) address')
    .refine(
      (url) => !URL.canParse(url) || `${new URL(url).username}${new URL(url).password}` === '',
      'an address without a user name or password in it',
    )
    .optional()
    .describe('Webhook address for operator events, such as a directory that was created or a delivery that was disabled.'),
  WEBHOOK_SECRET: text.optional().describe('Secret that signs webhooks to WEBHOOK_URL.'),
  WEBHOOK_ALLOWED_NETWORKS: list
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()], 'networks like 10.0.0.0/8, separated by commas')))
    .optional()
    .describe('Comma-separated private networks that webhooks may be sent to; if unset, `npm start` allows loopback.'),
};

/** Webhooks may go to these networks if Rollcall runs with embedded servers, unless WEBHOOK_ALLOWED_NETWORKS is set. */
export const loopbackNetworks = ['127.0.0.0/8', '::1/128'];
